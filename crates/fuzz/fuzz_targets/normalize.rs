//! Any normalisation steps on any text: the first two bytes select the steps. Sentences lie within the text, in order.
#![no_main]

use libfuzzer_sys::fuzz_target;
use neardup_text::normalize::{Buffer, Steps, normalize};
use neardup_text::sentences::sentences;

fuzz_target!(|data: &[u8]| {
    let Some((&[low, high], rest)) = data.split_first_chunk() else { return };
    let text = String::from_utf8_lossy(rest);
    let bits = u16::from_le_bytes([low, high]);
    let chosen = Steps::ALL.names().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, name)| name);
    let steps = Steps::parse(chosen).expect("names of steps");
    let mut buffer = Buffer::default();
    let once = normalize(&text, steps, &mut buffer).to_owned();
    assert_eq!(normalize(&text, steps, &mut buffer), once, "used again, the buffer makes no difference");
    // A second round of the others finds nothing to do; `html` decodes one level, links and the like uncover others, and words change under the
    // steps against disguises.
    let unsettled =
        [Steps::HTML, Steps::LINKS, Steps::REPOSTS, Steps::HANDLES, Steps::EMOJI, Steps::JOINED, Steps::SKELETON];
    if unsettled.iter().all(|&step| !steps.contains(step)) {
        assert_eq!(normalize(&once, steps, &mut buffer), once);
    }
    let mut end = 0;
    sentences(&text, &mut |sentence| {
        assert!(sentence.start >= end && !sentence.text.is_empty());
        end = sentence.start + sentence.text.len();
        assert_eq!(text.get(sentence.start..end), Some(sentence.text));
    });
});
