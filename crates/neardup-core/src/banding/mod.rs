//! The keys under which an ordinary index finds near signatures.
//!
//! * [`bands`], [`band`]: a SimHash cut into interleaved bands; a row is stored under these.
//! * [`probes`]: the keys to look up. Exact: every signature within the distance is among the rows found.
//! * [`lock_keys`]: what two concurrent writers must share if their signatures are near.
//! * [`minhash_bands`]: locality-sensitive keys of a MinHash; probabilistic, see [`candidate_chance`].
//! * [`overlap_keys`], [`overlap_probes`]: keys that find sets of tokens by their overlap coefficient; exact.
//! * [`band_plans`]: numbers of bands and rows that reach a wanted recall.
//!
//! Bands are interleaved because bands of consecutive bits are badly skewed in real signatures. Keys are plain
//! integers, so a stock GIN or B-tree index can hold them. Promised not to change: every key, because keys are stored in users'
//! indexes; golden tests freeze them. `docs/internals/banding.md` explains and proves.

pub(crate) mod cover;
mod locks;
mod minhash;
mod overlap;
mod simhash;

pub use locks::lock_keys;
pub use minhash::{BandPlan, MAX_ROWS, band_plans, candidate_chance, minhash_bands};
pub use overlap::{overlap_keys, overlap_probes, token_key};
pub(crate) use simhash::check_distance;
pub use simhash::{BANDS, DEFAULT_BANDS, MAX_DISTANCE, band, bands, probes};
