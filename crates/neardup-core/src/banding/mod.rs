//! The keys under which an ordinary index finds near signatures.
//!
//! * [`bands`], [`band`]: a SimHash cut into interleaved bands; what a row is stored under.
//! * [`probes`]: the keys to look up; exact, every signature within the distance is among the rows found.
//! * [`lock_keys`]: what two concurrent writers must share if their signatures are near.
//! * [`minhash_bands`]: locality-sensitive keys of a MinHash; probabilistic, see [`candidate_chance`].
//! * [`overlap_keys`], [`overlap_probes`]: keys that find sets of tokens by their overlap coefficient; exact.
//! * [`band_plans`]: which number of bands and rows reaches a wanted recall.
//!
//! Why interleaved: cut in sequence, the bands of real signatures are badly skewed (methods.md N). Why plain integers: a stock
//! GIN or B-tree index carries them. Promised not to change: every key, since keys lie in users' indexes; golden tests freeze
//! them. `docs/internals/banding.md` explains and proves.

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
