//! Ctrl-C, SIGTERM and a closed terminal: throw away what is to be thrown away, then leave.
//!
//! A thread waits for the signal. It ends the programs the command has started, undoes what [`on_exit`] registered
//! (throwaway servers) and exits. From the first signal on the main thread only waits for that: see [`checkpoint`].

use crate::error::Result;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Something that must not outlive the command.
pub trait Disposable: Send + Sync {
    /// Stops and removes it. Called once; must work from any state, and must not panic.
    fn dispose(&self);
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static CTRL_C_IS_PSQLS: AtomicBool = AtomicBool::new(false);
static RUNNING: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());
static DISPOSABLES: Mutex<Vec<Arc<dyn Disposable>>> = Mutex::new(Vec::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts watching. Called once, first of all.
pub fn watch() -> Result {
    let mut signals =
        Signals::new([SIGINT, SIGTERM, SIGHUP]).map_err(|error| format!("cannot watch for Ctrl-C: {error}"))?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if signal == SIGINT && CTRL_C_IS_PSQLS.load(Ordering::SeqCst) {
                continue;
            }
            INTERRUPTED.store(true, Ordering::SeqCst);
            eprintln!("\ninterrupted: stopping and cleaning up");
            end_children();
            dispose_all();
            std::process::exit(128 + signal);
        }
    });
    Ok(())
}

/// Whether the command has been interrupted.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// Waits for the clean-up, and never comes back, if the command has been interrupted.
pub fn checkpoint() {
    while is_interrupted() {
        std::thread::park();
    }
}

/// Leaves Ctrl-C to the interactive psql, which cancels its query on it, while `act` runs.
pub fn leave_ctrl_c_to_psql<T>(act: impl FnOnce() -> T) -> T {
    CTRL_C_IS_PSQLS.store(true, Ordering::SeqCst);
    let result = act();
    CTRL_C_IS_PSQLS.store(false, Ordering::SeqCst);
    result
}

/// Has `thing` disposed of when the command is interrupted.
pub fn on_exit(thing: Arc<dyn Disposable>) {
    lock(&DISPOSABLES).push(thing);
}

/// Disposes of `thing` now, unless the interrupt was faster.
pub fn dispose(thing: &Arc<dyn Disposable>) {
    let mut things = lock(&DISPOSABLES);
    let before = things.len();
    things.retain(|other| !Arc::ptr_eq(other, thing));
    if things.len() < before {
        thing.dispose();
    }
}

fn dispose_all() {
    let mut things = lock(&DISPOSABLES);
    for thing in things.drain(..).rev() {
        thing.dispose();
    }
}

/// Counts a program as running, as long as the value lives.
pub struct Running(u32);

impl Running {
    /// The program's process id.
    pub fn new(pid: u32) -> Self {
        lock(&RUNNING).insert(pid);
        Self(pid)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        lock(&RUNNING).remove(&self.0);
    }
}

/// Asks the running programs to end and waits a little for them: the main thread takes them off the list.
fn end_children() {
    for pid in lock(&RUNNING).iter() {
        kill(*pid, libc::SIGTERM);
    }
    let deadline = Instant::now() + Duration::from_secs(5);
    while !lock(&RUNNING).is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Sends a signal to a process that this command has started.
pub fn kill(pid: u32, signal: i32) {
    if let Ok(pid) = libc::pid_t::try_from(pid) {
        // SAFETY: kill has no requirement on memory; a pid that is gone is an error we ignore, and our own children
        // keep their pid until we have waited for them.
        unsafe { libc::kill(pid, signal) };
    }
}
