//! A throwaway Postgres server: a temporary directory, a socket in it, no network; gone when the value is.
//!
//! It runs as an unprivileged user (`postgres`, or `nobody`, when we are root), in a process group of its own, so that Ctrl-C
//! reaches us and not the server, which we then stop in order. It is stopped and its directory removed when the value is
//! dropped, on every error, on a panic and on a signal.

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

/// What starting and stopping may take.
const LIMIT: Duration = Duration::from_secs(60);

/// Settings of every throwaway server: nothing of it is worth a wait for the disk.
const SETTINGS: [&str; 5] =
    ["listen_addresses=", "fsync=off", "full_page_writes=off", "max_wal_size=4GB", "shared_buffers=256MB"];

/// Settings of a server that loads the library, with the dictionary, at its start.
pub const PRELOADING: [&str; 2] = ["shared_preload_libraries=pg_neardup", "pg_neardup.preload=on"];

/// A running throwaway server.
pub struct Server {
    postgres: Postgres,
    settings: Vec<String>,
    owner: Option<Owner>,
    place: Arc<Place>,
    _undo: Undo,
}

/// What is to be thrown away.
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

    /// Makes and starts a server with settings of its own beside the usual: `work_mem=1GB`.
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

    /// Makes and starts a server of another major version with what pg_upgrade takes over from one that has been stopped.
    pub fn upgraded_from(old: &Self, postgres: &Postgres) -> Result<Self> {
        Self::make(postgres, old.settings.clone(), |server| {
            let mut initdb = server.initdb();
            // The default from 18 on, and both must have it or not.
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

    /// The directory of the socket, the data and the log; other files may be put in it.
    pub fn directory(&self) -> &Path {
        &self.place.directory
    }

    /// A client program, `psql`, `pg_dump`, that connects to a database of this server as its superuser, whatever the environment says.
    pub fn client(&self, program: &str, database: &str) -> Command {
        self.client_at(&self.postgres.program(program), database)
    }

    /// The same for a program at a path.
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

    /// Stops it in order and starts it again.
    pub fn restart(&self) -> Result<()> {
        self.stop();
        self.run()
    }

    /// Kills all its processes like a power cut: no checkpoint, no goodbye. [`Server::restart`] brings it back.
    pub fn crash(&self) {
        self.place.cut();
    }

    /// The end of its log.
    pub fn log(&self) -> String {
        let log = fs_err::read(self.directory().join("log")).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }

    /// Stops it in order.
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

    /// A program that runs as the user who runs the server.
    pub fn owned(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        if let Some(owner) = self.owner {
            command.uid(owner.user).gid(owner.group);
        }
        // A Rust panic becomes a Postgres error, whose DETAIL would otherwise hold the backtrace.
        command.env("RUST_BACKTRACE", "0").env("LC_ALL", "C.UTF-8").current_dir(self.directory());
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

    /// Starts the postmaster and waits until it answers. False: not yet, backends of a crashed one are still leaving.
    fn try_run(&self, deadline: Instant) -> Result<bool> {
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

    /// Starts the postmaster, unless everything is being thrown away: under the lock, so that none escapes that.
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

    /// Kills the postmaster and its children, wherever they are: one that waits for a lock of a killed one would stay for ever.
    fn cut(&self) {
        let Some(postmaster) = self.postmaster().as_ref().map(Child::id) else { return };
        // While it is stopped, it has no more children.
        kill(postmaster, libc::SIGSTOP);
        let children = fs_err::read_to_string(format!("/proc/{postmaster}/task/{postmaster}/children"));
        let children = children.unwrap_or_default();
        children.split_whitespace().filter_map(|pid| pid.parse().ok()).for_each(|pid| kill(pid, libc::SIGKILL));
        self.stop(libc::SIGKILL);
    }

    /// Sends the postmaster a signal that ends it, and waits; kills it if it will not go.
    fn stop(&self, signal: i32) {
        let Some(mut child) = self.postmaster().take() else { return };
        kill(child.id(), signal);
        if !within(LIMIT, || Ok(child.try_wait()?.is_some())).unwrap_or(false) {
            kill(child.id(), libc::SIGKILL);
            let _ = child.wait();
        }
    }

    fn remove(&self) -> Result<()> {
        self.stop(libc::SIGQUIT);
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
