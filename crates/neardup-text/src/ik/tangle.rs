//! Tangles: groups of overlapping words, and IK's choice of a path through each.

use std::cmp::Reverse;

use super::Lexeme;

/// The most words of a tangle that are looked at together; IK's search takes their square.
pub const MAX_TANGLE: usize = 256;

/// Takes the next tangle off a sorted list: a word and all that overlap it, directly or through others. What begins before
/// `from` is left out, for a tangle that was cut short.
pub(super) fn next<'l>(lexemes: &mut &'l [Lexeme], from: u32) -> Option<&'l [Lexeme]> {
    *lexemes = lexemes.get(lexemes.partition_point(|lexeme| lexeme.begin < from)..)?;
    let first = lexemes.first()?;
    let mut end = first.end;
    let length = lexemes
        .iter()
        .take(MAX_TANGLE)
        .take_while(|lexeme| {
            let inside = lexeme.begin < end;
            end = end.max(lexeme.end);
            inside
        })
        .count();
    let (tangle, rest) = lexemes.split_at_checked(length)?;
    *lexemes = rest;
    Some(tangle)
}

/// The search for the best way through a tangle, with its buffers.
#[derive(Default)]
pub(super) struct TangleSearch {
    way: Vec<Lexeme>,
    best: Vec<Lexeme>,
    left_out: Vec<usize>,
}

impl TangleSearch {
    /// The best way.
    ///
    /// The first way takes each word that begins after the last one taken. Then, from the last word left out to the first:
    /// the way is taken back to where that word fits, and goes on with it in the same manner.
    pub(super) fn best(&mut self, tangle: &[Lexeme]) -> &[Lexeme] {
        let Self { way, best, left_out } = self;
        way.clear();
        left_out.clear();
        for (number, lexeme) in tangle.iter().enumerate() {
            if fits(way, lexeme) {
                way.push(*lexeme);
            } else {
                left_out.push(number);
            }
        }
        best.clone_from(way);
        let mut best_merit = merit(best);
        while let Some(number) = left_out.pop() {
            let Some((lexeme, after)) = tangle.get(number..).and_then(<[Lexeme]>::split_first) else { continue };
            while !fits(way, lexeme) {
                way.pop();
            }
            way.push(*lexeme);
            for lexeme in after {
                if fits(way, lexeme) {
                    way.push(*lexeme);
                }
            }
            let merit = merit(way);
            if merit > best_merit {
                best.clone_from(way);
                best_merit = merit;
            }
        }
        best
    }
}

fn fits(way: &[Lexeme], lexeme: &Lexeme) -> bool {
    way.last().is_none_or(|last| lexeme.begin >= last.end)
}

/// What IK prefers, in this order: more characters covered, fewer words, a longer way, one that ends later, a larger product
/// of the lengths (which wraps around at 32 bits, as IK's does), long words late.
fn merit(way: &[Lexeme]) -> (u32, Reverse<usize>, u32, u32, i32, u32) {
    let begin = way.first().map_or(0, |first| first.begin);
    let end = way.last().map_or(0, |last| last.end);
    let lengths = || way.iter().map(Lexeme::length);
    let product = lengths().fold(1_i32, |product, length| product.wrapping_mul(length as i32));
    let late = lengths().zip(1..).map(|(length, place)| length * place).sum();
    (lengths().sum(), Reverse(way.len()), end - begin, end, product, late)
}
