//! Progress messages: one line for each step and its duration, and at a terminal a running clock.

use anyhow::Result;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// The clocks of the steps that run. Without a terminal none is drawn.
static CLOCKS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Prints a line, above the clock if one runs.
pub fn line(text: &str) {
    CLOCKS.suspend(|| println!("{text}"));
}

/// Announces a step.
pub fn step(what: &str) {
    line(&format!("==> {what}"));
}

/// Adds a line to the step announced last.
pub fn note(what: &str) {
    line(&format!("    {what}"));
}

/// Announces a step, does it, and says how long it took; `work` gets the clock, whose message says what it is at.
pub fn during<T>(what: &str, work: impl FnOnce(&ProgressBar) -> Result<T>) -> Result<T> {
    step(what);
    let start = Instant::now();
    let clock = CLOCKS.add(ProgressBar::new_spinner());
    if let Ok(style) = ProgressStyle::with_template("    {spinner} {elapsed} {msg}") {
        clock.set_style(style);
    }
    clock.enable_steady_tick(Duration::from_millis(200));
    let outcome = work(&clock);
    clock.finish_and_clear();
    CLOCKS.remove(&clock);
    note(&format!("took {}", seconds(start.elapsed())));
    outcome
}

/// Stops all clocks while a program of somebody else's has the terminal.
pub fn aside<T>(work: impl FnOnce() -> T) -> T {
    CLOCKS.suspend(work)
}

/// A duration for people: `0.42 s`, `12.3 s`, `3 min 5 s`.
pub fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        s if s < 10.0 => format!("{s:.2} s"),
        s if s < 100.0 => format!("{s:.1} s"),
        _ => format!("{} min {} s", time.as_secs() / 60, time.as_secs() % 60),
    }
}
