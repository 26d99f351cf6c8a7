//! Numbers in English words. All words are given in lower case.

use super::Number;

const UNITS: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
fn place(words: &[&str], word: &str) -> Option<u128> {
    words.iter().position(|&known| known == word).map(|place| place as u128)
}

/// Gives the value of a word that counts: `seven`, `forty`.
#[must_use]
pub fn cardinal(word: &str) -> Option<Number> {
    // What a word begins with is quicker to see than that it is none of 28.
    if !(3..=9).contains(&word.len()) || !word.starts_with(['z', 'o', 't', 'f', 's', 'e', 'n']) {
        return None;
    }
    let value = place(&UNITS, word).or_else(|| Some((place(&TENS, word)? + 2) * 10))?;
    Some(Number::new(value, 0))
}

/// Gives the power of ten of a word after a number: `million`, `bln`.
#[must_use]
pub fn scale(word: &str) -> Option<i32> {
    Some(match word {
        "hundred" => 2,
        "thousand" => 3,
        "million" | "millions" | "mln" => 6,
        "billion" | "billions" | "bln" | "bn" => 9,
        "trillion" | "trln" | "tn" => 12,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_values() {
        for (word, value) in [("zero", 0), ("two", 2), ("nineteen", 19), ("twenty", 20), ("ninety", 90)] {
            assert_eq!(cardinal(word), Some(Number::new(value, 0)), "{word}");
        }
        assert_eq!(scale("mln"), Some(6));
        for word in ["tone", "tons", "often", "", "seconds", "weight"] {
            assert_eq!((cardinal(word), scale(word)), (None, None), "{word}");
        }
    }
}
