//! Ctrl-C, SIGTERM and a closed terminal: clean up, then exit.
//!
//! A thread waits for the signal. It ends the programs that the command has started, runs each [`Undo`] (throwaway servers) and
//! exits. After the first signal, the main thread only waits for that: see [`checkpoint`].

use anyhow::{Context, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static CTRL_C_IS_PSQLS: AtomicBool = AtomicBool::new(false);
static RUNNING: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());
static UNDOINGS: Mutex<Vec<Undoing>> = Mutex::new(Vec::new());

type Undoing = Arc<dyn Fn() + Send + Sync>;

/// Locks a mutex, even if a thread has panicked while it held it.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts watching for signals. Must be the first call of the program.
pub fn watch() -> Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot watch for Ctrl-C")?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if signal == SIGINT && CTRL_C_IS_PSQLS.load(Ordering::SeqCst) {
                continue;
            }
            INTERRUPTED.store(true, Ordering::SeqCst);
            eprintln!("\ninterrupted: stopping and cleaning up");
            end_children();
            lock(&UNDOINGS).drain(..).rev().for_each(|undoing| undoing());
            std::process::exit(128 + signal);
        }
    });
    Ok(())
}

/// Whether the command has been interrupted.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// Blocks for ever if the command has been interrupted, so that the clean-up can finish.
pub fn checkpoint() {
    while is_interrupted() {
        std::thread::park();
    }
}

/// Runs `act` while Ctrl-C belongs to the interactive psql, which cancels its query on it.
pub fn leave_ctrl_c_to_psql<T>(act: impl FnOnce() -> T) -> T {
    CTRL_C_IS_PSQLS.store(true, Ordering::SeqCst);
    let result = act();
    CTRL_C_IS_PSQLS.store(false, Ordering::SeqCst);
    result
}

/// Undoes something that must not outlive the command: when the value is dropped, or when the command is interrupted.
pub struct Undo(Undoing);

impl Undo {
    /// `act` is called once; it must work from any state, and must not panic.
    pub fn new(act: impl Fn() -> Result<()> + Send + Sync + 'static) -> Self {
        let undoing: Undoing = Arc::new(move || {
            if let Err(error) = act() {
                eprintln!("cannot clean up: {error:#}");
            }
        });
        lock(&UNDOINGS).push(undoing.clone());
        Self(undoing)
    }

    /// Changes the contents of a file; undoing it restores the previous ones.
    pub fn change(path: &Path, change: impl FnOnce(&str) -> String) -> Result<Self> {
        let before = fs_err::read_to_string(path)?;
        let changed = change(&before);
        let file = path.to_owned();
        let undo = Self::new(move || Ok(fs_err::write(&file, &before)?));
        fs_err::write(path, changed)?;
        Ok(undo)
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        let mut undoings = lock(&UNDOINGS);
        let before = undoings.len();
        undoings.retain(|other| !Arc::ptr_eq(other, &self.0));
        // Does nothing if the interrupt has already undone it.
        if undoings.len() < before {
            (self.0)();
        }
    }
}

/// Lists a program as running, as long as the value lives.
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

/// Asks the running programs to end and waits briefly; the main thread removes them from the list.
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
#[allow(unsafe_code, reason = "a function of the C library")]
pub fn kill(pid: u32, signal: i32) {
    if let Ok(pid) = libc::pid_t::try_from(pid) {
        // SAFETY: kill has no requirement on memory. If the process is gone, the error is ignored; our own children keep their
        // process id until we have waited for them.
        unsafe { libc::kill(pid, signal) };
    }
}
