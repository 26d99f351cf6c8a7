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

/// Returns the value of a word that counts, `seven`, `forty`, and of what a hyphen joins to it: `forty-seven`. `after` is the text after
/// the word; the second value says how many bytes of it belong to the number.
#[must_use]
pub fn cardinal(word: &str, after: &str) -> Option<(Number, usize)> {
    // What a word begins with is quicker to see than that it is none of 28.
    if !(3..=9).contains(&word.len()) || !word.starts_with(['z', 'o', 't', 'f', 's', 'e', 'n']) {
        return None;
    }
    if let Some(value) = place(&UNITS, word) {
        return Some((Number::new(value, 0), 0));
    }
    let tens = (place(&TENS, word)? + 2) * 10;
    let joined = || {
        let letters = after.strip_prefix('-')?.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (word, rest) = after.get(1..)?.split_at_checked(letters)?;
        let one = place(&UNITS, &word.to_ascii_lowercase()).filter(|one| (1..10).contains(one))?;
        let ends = !rest.starts_with(char::is_alphanumeric);
        ends.then_some((Number::new(tens + one, 0), letters + 1))
    };
    Some(joined().unwrap_or((Number::new(tens, 0), 0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_values() {
        for (word, value) in [("zero", 0), ("two", 2), ("nineteen", 19), ("twenty", 20), ("ninety", 90)] {
            assert_eq!(cardinal(word, ""), Some((Number::new(value, 0), 0)), "{word}");
        }
        for (word, after, value, len) in [
            ("sixty", "-six", 66, 4),
            ("forty", "-Two cases", 42, 4),
            ("ninety", "-ten", 90, 0),
            ("thirty", "-odd", 30, 0),
            ("twenty", "-", 20, 0),
            ("twenty", "-oné", 20, 0),
            ("seven", "-eight", 7, 0),
        ] {
            assert_eq!(cardinal(word, after), Some((Number::new(value, 0), len)), "{word}{after}");
        }
        for word in ["tone", "tons", "often", "", "seconds", "weight"] {
            assert_eq!(cardinal(word, ""), None, "{word}");
        }
    }
}
