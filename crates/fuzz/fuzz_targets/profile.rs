//! Statistics of a profile, trained and damaged, or arbitrary: they are refused or can be used for signing. The same for Bloom
//! filters.
#![no_main]

use libfuzzer_sys::fuzz_target;
use neardup_core::profile::{Profile, Statistics, Training};
use neardup_core::signature::bloom::BloomFilter;
use neardup_core::signature::p_simhash::PSimhash;

fn use_statistics(bytes: &[u8], hashes: &[u64]) {
    let Ok(statistics) = Statistics::from_bytes(bytes) else { return };
    assert!(statistics.words() <= bytes.len());
    let profile = Profile::new("chars:2", [], Some(bytes)).expect("its statistics were taken");
    let _ = profile.p_simhash(hashes, PSimhash::new(20, 1.5, 64).expect("within range"));
    let _ = profile.e_simhash(hashes, 64);
    hashes.iter().for_each(|hash| assert!(!profile.idf().idf(*hash).is_nan()));
}

fuzz_target!(|data: &[u8]| {
    // Few different words, so that they come together.
    let hashes: Vec<u64> = data.iter().map(|&byte| u64::from(byte % 16).wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    use_statistics(data, &hashes);
    if let Some((&[place_low, place_high, change], rest)) = data.split_first_chunk() {
        let mut training = Training::new(1000).expect("within range");
        hashes.chunks(7).for_each(|document| training.add(document));
        let mut bytes = training.finish();
        use_statistics(&bytes, &hashes);
        let place = usize::from(u16::from_le_bytes([place_low, place_high])) % bytes.len();
        bytes[place] ^= change;
        bytes.truncate(bytes.len() - rest.first().map_or(0, |&cut| usize::from(cut / 64)).min(bytes.len()));
        use_statistics(&bytes, &hashes);
    }
    if let Ok(mut filter) = BloomFilter::from_bytes(data.to_vec()) {
        filter.insert("x");
        assert!(filter.view().is_ok_and(|view| view.contains("x")));
        let _ = filter.union(data);
    }
});
