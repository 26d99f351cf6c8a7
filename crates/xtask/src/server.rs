//! A throwaway Postgres server: a temporary directory with a socket, without network; removed when the value is dropped.
//!
//! It runs as an unprivileged user (`postgres` or `nobody` if we are root), in a process group of its own, so that Ctrl-C
//! reaches us and not the server, which we then stop in order. It is stopped and its directory removed when the value is
//! dropped, after every error, a panic or a signal.

use crate::command::{answers, is_root, output, text, within};
use crate::interrupt::{Undo, checkpoint, is_interrupted, kill, lock};
use crate::postgres::Postgres;
use anyhow::{Context, Result, bail, ensure};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The longest time for starting or stopping.
const LIMIT: Duration = Duration::from_secs(60);

/// Settings of every throwaway server: its data need not survive, so it does not wait for the disk.
const SETTINGS: [&str; 5] =
    ["listen_addresses=", "fsync=off", "full_page_writes=off", "max_wal_size=4GB", "shared_buffers=256MB"];

/// Settings of a server that preloads the library and its dictionary.
pub const PRELOADING: [&str; 2] = ["shared_preload_libraries=pg_neardup", "pg_neardup.preload=on"];

/// A running throwaway server.
pub struct Server {
    postgres: Postgres,
    settings: Vec<String>,
    owner: Option<Owner>,
    place: Arc<Place>,
    _undo: Undo,
}

/// What to remove at the end.
struct Place {
    directory: PathBuf,
    postmaster: Mutex<Option<Child>>,
}

/// The user who runs the server, if not we.
#[derive(Clone, Copy)]
struct Owner {
    user: u32,
    group: u32,
}

impl Server {
    /// Makes and starts a server.
    pub fn start(postgres: &Postgres) -> Result<Self> {
        Self::start_with(postgres, &[])
    }

    /// Makes and starts a server with additional settings: `work_mem=1GB`.
    pub fn start_with(postgres: &Postgres, settings: &[&str]) -> Result<Self> {
        let settings = SETTINGS.iter().chain(settings).map(|s| (*s).to_owned()).collect();
        Self::make(postgres, settings, |server| text(&mut server.initdb()).map(drop))
    }

    /// Makes and starts a streaming replica of a server, with the same settings.
    pub fn replica_of(primary: &Self) -> Result<Self> {
        Self::make(&primary.postgres, primary.settings.clone(), |server| {
            let mut copy = server.as_owner("pg_basebackup");
            copy.args("-U postgres -p 5432 --write-recovery-conf --checkpoint=fast --no-sync -h".split(' '));
            text(copy.arg(primary.directory()).arg("-D").arg(server.data())).map(drop)
        })
    }

    /// Makes and starts a server of another major version with the data that pg_upgrade takes over from a stopped one.
    pub fn upgraded_from(old: &Self, postgres: &Postgres) -> Result<Self> {
        Self::make(postgres, old.settings.clone(), |server| {
            let mut initdb = server.initdb();
            // Checksums are the default from 18 on; both servers must agree.
            if postgres.major >= 18 && old.postgres.major < 18 {
                initdb.arg("--no-data-checksums");
            }
            text(&mut initdb)?;
            let mut upgrade = server.as_owner("pg_upgrade");
            upgrade.args(["-U", "postgres", "-b"]).arg(&old.postgres.bin).arg("-B").arg(&postgres.bin);
            upgrade.arg("-d").arg(old.data()).arg("-D").arg(server.data()).arg("-s").arg(server.directory());
            let outcome = output(&mut upgrade)?;
            ensure!(outcome.status.success(), "pg_upgrade failed:\n{}", String::from_utf8_lossy(&outcome.stdout));
            Ok(())
        })
    }

    fn make(postgres: &Postgres, settings: Vec<String>, initialize: impl FnOnce(&Self) -> Result<()>) -> Result<Self> {
        let owner = if is_root() { Some(unprivileged()?) } else { None };
        let directory = temporary_directory(owner)?;
        let place = Arc::new(Place { directory, postmaster: Mutex::new(None) });
        let thrown_away = place.clone();
        let undo = Undo::new(move || thrown_away.remove());
        let server = Self { postgres: postgres.clone(), settings, owner, place, _undo: undo };
        initialize(&server)?;
        server.run()?;
        Ok(server)
    }

    /// Returns the directory of the socket, the data and the log; tests may put other files there.
    pub fn directory(&self) -> &Path {
        &self.place.directory
    }

    /// Makes the command of a client program (`psql`, `pg_dump`) that connects to a database of this server as superuser,
    /// whatever the environment says.
    pub fn client(&self, program: &str, database: &str) -> Command {
        self.client_at(&self.postgres.program(program), database)
    }

    /// Does the same for a program at a path.
    pub fn client_at(&self, program: &Path, database: &str) -> Command {
        let mut client = Command::new(program);
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"PG") {
                client.env_remove(name);
            }
        }
        client.env("PGHOST", self.directory()).env("PGPORT", "5432").env("PGUSER", "postgres");
        let path = std::env::var("PATH").unwrap_or_default();
        client.env("PATH", format!("{}:{path}", self.postgres.bin.display()));
        client.env("PGDATABASE", database).env("PGCLIENTENCODING", "UTF8").env("LC_ALL", "C.UTF-8");
        client
    }

    /// Stops the server in order and restarts it.
    pub fn restart(&self) -> Result<()> {
        self.stop();
        self.run()
    }

    /// Kills all its processes, as in a power cut, without a checkpoint. [`Server::restart`] starts it again.
    pub fn crash(&self) {
        self.place.cut();
    }

    /// Returns the end of its log.
    pub fn log(&self) -> String {
        let log = fs_err::read(self.directory().join("log")).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }

    /// Returns what its log says of processes that died, with what they were doing: after that, others are told of a recovery alone.
    pub fn broken(&self) -> String {
        let log = fs_err::read(self.directory().join("log")).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let dies = |line: &&str| {
            ["was terminated by signal", "Failed process was", "PANIC: ", "No space left"]
                .iter()
                .any(|w| line.contains(w))
        };
        log.lines().filter(dies).take(20).collect::<Vec<_>>().join("\n")
    }

    /// Stops the server in order.
    pub fn stop(&self) {
        self.place.stop(libc::SIGINT);
    }

    fn as_owner(&self, program: &str) -> Command {
        self.owned(&self.postgres.program(program))
    }

    fn initdb(&self) -> Command {
        let mut initdb = self.as_owner("initdb");
        initdb.args("-U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync -D".split(' ')).arg(self.data());
        initdb
    }

    /// Makes the command of a program that runs as the server's user.
    pub fn owned(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        if let Some(owner) = self.owner {
            command.uid(owner.user).gid(owner.group);
        }
        // A Rust panic becomes a Postgres error, whose DETAIL must not contain a backtrace even if this asks for one.
        command.env("RUST_BACKTRACE", "1").env("LC_ALL", "C.UTF-8").current_dir(self.directory());
        command
    }

    fn data(&self) -> PathBuf {
        self.directory().join("data")
    }

    fn run(&self) -> Result<()> {
        let deadline = Instant::now() + LIMIT;
        while !self.try_run(deadline)? {
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    }

    /// Starts the postmaster and waits until it answers. False if backends of a crashed one are still exiting.
    fn try_run(&self, deadline: Instant) -> Result<bool> {
        self.place.keep_log();
        let log = fs_err::File::create(self.directory().join("log"))?.into_file();
        let log_too = log.try_clone()?;
        let mut postmaster = self.as_owner("postgres");
        postmaster.arg("-D").arg(self.data()).arg("-k").arg(self.directory()).args(["-p", "5432"]);
        for setting in &self.settings {
            postmaster.args(["-c", setting]);
        }
        postmaster.stdin(Stdio::null()).stdout(log).stderr(log_too).process_group(0);
        self.place.spawn(&mut postmaster)?;
        while !answers(&mut self.client("pg_isready", "postgres")) {
            let ended = !self.place.is_running();
            if ended && self.log().contains("still in use") && Instant::now() < deadline {
                return Ok(false);
            }
            if ended || Instant::now() > deadline {
                let log = self.log();
                bail!("the throwaway server did not start; its log ends:\n{log}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(true)
    }
}

impl Place {
    fn postmaster(&self) -> MutexGuard<'_, Option<Child>> {
        lock(&self.postmaster)
    }

    /// Starts the postmaster, unless the command is cleaning up. Holds the lock meanwhile, so that no server escapes the
    /// clean-up.
    fn spawn(&self, command: &mut Command) -> Result<()> {
        let mut postmaster = self.postmaster();
        if !is_interrupted() {
            *postmaster = Some(command.spawn().context("cannot start the server")?);
        }
        drop(postmaster);
        checkpoint();
        Ok(())
    }

    fn is_running(&self) -> bool {
        self.postmaster().as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(None)))
    }

    /// Kills the postmaster and all its children: one that waits for a lock of a killed one would never exit.
    fn cut(&self) {
        let Some(postmaster) = self.postmaster().as_ref().map(Child::id) else { return };
        // While it is stopped, it starts no more children.
        kill(postmaster, libc::SIGSTOP);
        let children = fs_err::read_to_string(format!("/proc/{postmaster}/task/{postmaster}/children"));
        let children = children.unwrap_or_default();
        children.split_whitespace().filter_map(|pid| pid.parse().ok()).for_each(|pid| kill(pid, libc::SIGKILL));
        self.stop(libc::SIGKILL);
    }

    /// Sends the postmaster a signal that ends it, and waits; kills it if it does not exit.
    fn stop(&self, signal: i32) {
        let Some(mut child) = self.postmaster().take() else { return };
        kill(child.id(), signal);
        if !within(LIMIT, || Ok(child.try_wait()?.is_some())).unwrap_or(false) {
            kill(child.id(), libc::SIGKILL);
            let _ = child.wait();
        }
    }

    /// Copies the log to where the environment variable `NEARDUP_LOGS` says, before it is lost.
    fn keep_log(&self) {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        if let Some(to) = std::env::var_os("NEARDUP_LOGS") {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let to = Path::new(&to).join(format!("{}-{number}.log", std::process::id()));
            let _ = fs_err::copy(self.directory.join("log"), to);
        }
    }

    fn remove(&self) -> Result<()> {
        self.stop(libc::SIGQUIT);
        self.keep_log();
        Ok(fs_err::remove_dir_all(&self.directory)?)
    }
}

/// Postgres refuses to run as root.
fn unprivileged() -> Result<Owner> {
    let id = |option: &str, name: &str| text(Command::new("id").args([option, name])).ok()?.parse().ok();
    let owner = ["postgres", "nobody"].iter().find_map(|n| Some(Owner { user: id("-u", n)?, group: id("-g", n)? }));
    owner.context("there is no user \"postgres\" or \"nobody\" to run the server as, and root must not")
}

fn temporary_directory(owner: Option<Owner>) -> Result<PathBuf> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut parent = std::env::temp_dir();
    let open_to_all = |d: &Path| d.metadata().is_ok_and(|m| m.permissions().mode() & 0o001 != 0);
    if owner.is_some() && !parent.ancestors().all(open_to_all) {
        parent = PathBuf::from("/tmp");
    }
    let directory = parent.join(format!("neardup-{}-{number}", std::process::id()));
    std::fs::DirBuilder::new().mode(0o700).create(&directory)?;
    if let Some(owner) = owner {
        chown(&directory, Some(owner.user), Some(owner.group))?;
    }
    Ok(directory)
}
