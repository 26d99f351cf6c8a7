//! What the commands print about themselves: one line a step, so that a reader sees what takes the time.

use std::time::Duration;

/// Announces a step.
pub fn step(what: &str) {
    println!("==> {what}");
}

/// Adds a line to the step announced last.
pub fn note(what: &str) {
    println!("    {what}");
}

/// A duration for people: `0.42 s`, `12.3 s`, `3 min 5 s`.
pub fn seconds(time: Duration) -> String {
    let s = time.as_secs_f64();
    if s < 10.0 {
        format!("{s:.2} s")
    } else if s < 100.0 {
        format!("{s:.1} s")
    } else {
        format!("{} min {} s", time.as_secs() / 60, time.as_secs() % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        assert_eq!(seconds(Duration::from_millis(420)), "0.42 s");
        assert_eq!(seconds(Duration::from_millis(12_340)), "12.3 s");
        assert_eq!(seconds(Duration::from_secs(185)), "3 min 5 s");
    }
}
