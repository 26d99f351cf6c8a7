//! MinHash: a few hundred values; the share of equal values estimates the Jaccard similarity of two sets of tokens.
//!
//! There are two schemes with one binary format:
//!
//! * [`Scheme::ManyHash`] (MinMultiHash in Zhang 2016): the smallest element of the set under each of many hash functions. The
//!   share of equal positions is an unbiased estimate. It is made as a *fast similarity sketch* (Dahlgaard, Knudsen, Thorup 2017,
//!   "Fast similarity sketching"): one hash per element fills nearly all positions of a large set, and further rounds fill the
//!   rest. Densified one-permutation hashing (Shrivastava 2017) costs the same, but positions of small sets copy each other there,
//!   so its variance is above that of independent hashes. Here, positions filled in the same round come from different elements and
//!   those of different rounds are independent, so the variance never exceeds that of independent
//!   hashes.
//! * [`Scheme::BottomK`] (MinOneHash): the smallest hashes of the set under one function, compared by merging.
//!
//! A *sketch* is a bottom-k signature of a few 64-bit values; by its [keys](MinHashRef::keys), an index finds texts that share
//! shingles. It has one additional value, from the opening of the text.
//!
//! Main items: [`MinHasher`] collects hashes and finishes into a [`MinHash`]; [`jaccard`] compares two signatures in binary form;
//! [`shares_key`] says whether an index finds one by the other; [`Parameters`] is the header that both must share.
//!
//! How often and where a token occurs does not matter, except in the opening of a sketch. Within a format version, a set always
//! gives the same values; `docs/internals/signatures.md` specifies them, with golden vectors.

mod compare;
mod format;
mod keys;
mod many;
mod smallest;

pub use compare::jaccard;
pub use format::{HEADER_BYTES, MinHash, MinHashRef, Parameters, Scheme, Width, fingerprint};
pub use keys::shares_key;

use crate::signature::shingle::{self, BATCH, Sink};
use many::ManyHash;
use neardup_text::hash::mix;
use smallest::BottomK;

/// Gathers the token hashes of one text after another into signatures.
#[derive(Clone, Debug)]
pub struct MinHasher {
    parameters: Parameters,
    seed: u64,
    state: State,
    /// Elements on their way into the state.
    buffer: Box<[u64; BATCH]>,
    buffered: usize,
}

#[derive(Clone, Debug)]
enum State {
    Many(Box<ManyHash>),
    Bottom(BottomK),
}

impl State {
    fn add_all(&mut self, elements: &[u64]) {
        match self {
            Self::Many(state) => state.add_all(elements),
            Self::Bottom(state) => state.add_all(elements),
        }
    }
}

/// The way of shingles into any state, with any seed.
struct Seeded<'s> {
    state: &'s mut State,
    seed: u64,
}

impl Sink for Seeded<'_> {
    #[inline(always)]
    fn take_some(&mut self, _: &[u64]) {}

    fn take_batch(&mut self, hashes: &[u64]) {
        if self.seed == 0 {
            self.state.add_all(hashes);
            return;
        }
        let mut elements = [0; BATCH];
        let (elements, _) = elements.split_at_mut(hashes.len().min(BATCH));
        elements.iter_mut().zip(hashes).for_each(|(element, &hash)| *element = mix(hash, self.seed));
        self.state.add_all(elements);
    }
}

impl MinHasher {
    /// Makes a hasher with nothing added.
    ///
    /// Another seed gives independent signatures; it should be part of the parameters' fingerprint, since signatures of
    /// different seeds cannot be compared.
    #[must_use]
    pub fn new(parameters: Parameters, seed: u64) -> Self {
        let state = match parameters.scheme() {
            Scheme::ManyHash => State::Many(Box::new(ManyHash::new(parameters.count()))),
            Scheme::BottomK => State::Bottom(BottomK::new(parameters.count(), parameters.width() == Width::Bits64)),
        };
        Self { parameters, seed, state, buffer: Box::new([0; BATCH]), buffered: 0 }
    }

    /// Forgets everything added, for the next text.
    pub fn reset(&mut self) {
        self.buffered = 0;
        match &mut self.state {
            State::Many(state) => state.reset(),
            State::Bottom(state) => state.reset(),
        }
    }

    /// Adds a token hash.
    #[inline]
    pub fn add(&mut self, hash: u64) {
        if self.buffered == BATCH {
            self.flush();
        }
        if let Some(element) = self.buffer.get_mut(self.buffered) {
            *element = if self.seed == 0 { hash } else { mix(hash, self.seed) };
            self.buffered += 1;
        }
    }

    /// Adds many token hashes.
    #[inline]
    pub fn add_all(&mut self, hashes: &[u64]) {
        if self.seed == 0 && hashes.len() >= BATCH / 16 {
            self.state.add_all(hashes);
        } else {
            hashes.iter().for_each(|&hash| self.add(hash));
        }
    }

    /// Adds the hashes of the pieces of a text from each start to the end beside it, in bytes: the shingles that
    /// [`shingle::spans`] or the analyzer gives.
    pub fn add_pieces(&mut self, text: &[u8], starts: &[u32], ends: &[u32]) {
        self.flush();
        match &mut self.state {
            State::Many(state) if self.seed == 0 => {
                shingle::hash_into(text, starts, ends, &mut self.buffer, &mut **state);
            }
            state => shingle::hash_into(text, starts, ends, &mut self.buffer, &mut Seeded { state, seed: self.seed }),
        }
    }

    fn flush(&mut self) {
        self.state.add_all(self.buffer.get(..self.buffered).unwrap_or_default());
        self.buffered = 0;
    }

    /// Returns the signature, or `None` if nothing was added, and forgets everything added.
    #[must_use]
    pub fn finish(&mut self) -> Option<MinHash> {
        self.flush();
        let signature = match &mut self.state {
            State::Many(state) => state.finish().map(|least| MinHash::encode(self.parameters, least)),
            State::Bottom(state) => state.finish().map(|least| MinHash::encode_smallest(self.parameters, least)),
        };
        self.reset();
        signature
    }
}

#[cfg(test)]
mod tests;
