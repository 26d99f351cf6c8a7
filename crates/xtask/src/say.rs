//! Progress messages: one line for each step with its duration and, on a terminal, a running timer.

use anyhow::Result;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// The timers of running steps. None is drawn without a terminal.
static CLOCKS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Prints a line, above the timer if one runs.
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

/// Announces a step, runs it, and prints its duration. `work` gets the timer, whose message says what the step is doing.
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

/// Hides all timers while another program uses the terminal.
pub fn aside<T>(work: impl FnOnce() -> T) -> T {
    CLOCKS.suspend(work)
}

/// Formats a duration: `0.42 s`, `12.3 s`, `3 min 5 s`.
pub fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        s if s < 10.0 => format!("{s:.2} s"),
        s if s < 100.0 => format!("{s:.1} s"),
        _ => format!("{} min {} s", time.as_secs() / 60, time.as_secs() % 60),
    }
}
