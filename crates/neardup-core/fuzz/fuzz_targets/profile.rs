//! Statistics of a profile from anywhere: refused, or as good as any for signing. Bloom filters likewise.
#![no_main]

use libfuzzer_sys::fuzz_target;
use neardup_core::profile::{Profile, Statistics};
use neardup_core::sketch::bloom::Bloom;
use neardup_core::sketch::p_simhash::PSimhash;

fuzz_target!(|data: &[u8]| {
    if let Ok(statistics) = Statistics::from_bytes(data) {
        assert!(statistics.words() <= data.len());
        let profile = Profile::new("chars:2", ["元宇宙"], Some(data)).expect("its statistics were taken");
        let hashes: Vec<u64> = data.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        let _ = profile.p_simhash(&hashes, PSimhash::new(20, 1.5, 64).expect("within range"));
        let _ = profile.e_simhash(&hashes, 64);
        hashes.iter().for_each(|hash| drop(profile.idf().idf(*hash)));
    }
    if let Ok(mut filter) = Bloom::from_bytes(data.to_vec()) {
        filter.insert("x");
        assert!(filter.view().is_ok_and(|view| view.contains("x")));
        let _ = filter.union(data);
    }
});
