//! A first verdict that is cancelled: what it leaves behind must not spoil later ones. An initialiser of a static that is cancelled would
//! be poisoned for the life of the process, so no initialiser may check.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};

use neardup_text::interrupt;
use neardup_verdict::{Verdict, conflicts, same_message};

static CANCELS: AtomicBool = AtomicBool::new(true);

#[test]
fn a_cancelled_first_use_spoils_no_later_one() {
    interrupt::install(|| {
        if CANCELS.load(Ordering::Relaxed) {
            panic!("cancelled");
        }
    });
    panic::set_hook(Box::new(|_| {}));
    // Every check cancels: of texts so short that only initialisers could check, all of these succeed.
    let texts = [
        ("Die Brücke öffnet am 5. März um 9 Uhr.", "Die Brücke öffnet am 6. März um 9 Uhr."),
        ("The ferry was not late in May, he said.", "The ferry will be late in May, he says."),
        ("新华社北京5月9日电 大桥3月5日通车(完)", "大桥3月6日通车(完)"),
        ("สะพานเปิดวันจันทร์ที่ 5 มีนาคม", "สะพานเปิดวันอังคารที่ 6 มีนาคม"),
        ("橋は5月3日(土)に開通した。", "橋は5月4日(日)に開通した。"),
        ("다리가 5월 3일 토요일에 열렸다.", "다리가 5월 4일 일요일에 열렸다."),
        ("Cầu mở ngày 5 tháng 3 năm 2031.", "Cầu mở ngày 6 tháng 3 năm 2031."),
    ];
    for (a, b) in texts {
        panic::catch_unwind(|| conflicts(a, b).unwrap()).unwrap_or_default();
    }
    CANCELS.store(false, Ordering::Relaxed);
    let _ = panic::take_hook();
    for (a, b) in texts {
        assert!(!conflicts(a, b).unwrap().is_empty(), "{a}");
        assert_ne!(same_message(a, b).unwrap().verdict, Verdict::Copy, "{a}");
    }
}
