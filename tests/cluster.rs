//! `heddle rules run` on several processes prints what one process prints.

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How long a process may take; the machine may be busy with other things.
const PATIENCE: Duration = Duration::from_secs(120);

const RULES: &str = "
.type Event <: symbol
.decl event(e: Event, t: symbol, i: number)
.decl write(e: Event, v: symbol)
.decl rf(w: Event, r: Event) choice
.input event, write, rf
.decl lt(a: Event, b: Event) order(event)
.output lt
lt(w, r) :- rf(w, r).
lt(w2, w) :- rf(w, r), lt(w2, r), write(w2, v), write(w, v), w2 != w.
.decl special(e: Event)
.output special
special(e) :- write(e, \"y\"), !lt(_, e).
.decl writes(v: symbol, n: number)
.output writes
writes(v, n) :- write(_, v), n = count : { write(_, v) }.
.decl place(e: Event, p: symbol)
.output place
place(e, \"last\") :- event(e, _, 3), lt(_, e).
place(e, \"early\") :- lt(e, b), place(b, \"last\").
";

const UPDATES: &str = "-rf\tb0\ta1\tl1\ncommit\n+rf\tc0\tb3\tl2\n+write\tc2\ty\ncommit\n";

/// Threads a, b, c of four events each, even ones write; b0 is read by a1.
fn write_facts(folder: &Path) {
    let mut event = String::new();
    let mut write = String::new();
    for thread in ["a", "b", "c"] {
        for index in 0..4 {
            event += &format!("{thread}{index}\t{thread}\t{index}\n");
            if index % 2 == 0 {
                let variable = if thread == "b" { "y" } else { "x" };
                write += &format!("{thread}{index}\t{variable}\n");
            }
        }
    }
    fs::write(folder.join("event.facts"), event).unwrap();
    fs::write(folder.join("write.facts"), write).unwrap();
    fs::write(folder.join("rf.facts"), "b0\ta1\tl1\na0\tc3\tl3\n").unwrap();
}

/// A number for each process that is started and each cluster.
fn fresh() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

struct Input {
    folder: tempfile::TempDir,
}

impl Input {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("rules.dl"), RULES).unwrap();
        fs::write(folder.path().join("updates"), UPDATES).unwrap();
        let facts = folder.path().join("facts");
        fs::create_dir(&facts).unwrap();
        write_facts(&facts);
        Input { folder }
    }

    /// A file with so many free addresses. They are of the loopback network, but none that
    /// anything else on the machine would take: outgoing connections come from 127.0.0.1.
    fn hosts(&self, count: usize) -> String {
        let pid = std::process::id();
        let host = format!(
            "127.{}.{}.{}",
            1 + pid / 250 % 250,
            1 + pid % 250,
            1 + fresh() % 250
        );
        let listeners: Vec<TcpListener> = (0..count)
            .map(|_| TcpListener::bind((host.as_str(), 0)).unwrap())
            .collect();
        let lines: Vec<String> = listeners
            .iter()
            .map(|listener| listener.local_addr().unwrap().to_string() + "\n")
            .collect();
        let file = self.folder.path().join("hosts");
        fs::write(&file, lines.concat()).unwrap();
        file.display().to_string()
    }

    fn start(&self, arguments: &[&str]) -> Running {
        let path = |name: &str| self.folder.path().join(name);
        let number = fresh();
        let (out, errors) = (
            path(&format!("out{number}")),
            path(&format!("errors{number}")),
        );
        let child = Command::new(env!("CARGO_BIN_EXE_heddle"))
            .args(["rules", "run"])
            .arg(path("rules.dl"))
            .arg("--facts")
            .arg(path("facts"))
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(File::create(&out).unwrap())
            .stderr(File::create(&errors).unwrap())
            .spawn()
            .unwrap();
        Running { child, out, errors }
    }

    fn updates(&self) -> String {
        self.folder.path().join("updates").display().to_string()
    }

    fn run(&self, arguments: &[&str]) -> String {
        self.start(arguments).finish().printed()
    }

    /// What process 0 of so many prints; the others print nothing.
    fn run_cluster(&self, processes: usize, arguments: &[&str]) -> String {
        let hosts = self.hosts(processes);
        let running: Vec<Running> = (0..processes)
            .map(|process| {
                let number = process.to_string();
                let cluster = ["--process", &number, "--hosts", &hosts];
                self.start(&[arguments, &cluster].concat())
            })
            .collect();
        let mut printed = running
            .into_iter()
            .map(|process| process.finish().printed());
        let first = printed.next().unwrap();
        assert!(printed.all(|text| text.is_empty()));
        first
    }
}

/// A process that is ended with the test, however that ends.
struct Running {
    child: Child,
    out: PathBuf,
    errors: PathBuf,
}

/// What a process left behind.
struct Finished {
    code: Option<i32>,
    out: String,
    errors: String,
}

impl Running {
    fn finish(mut self) -> Finished {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return Finished {
                    code: status.code(),
                    out: fs::read_to_string(&self.out).unwrap(),
                    errors: fs::read_to_string(&self.errors).unwrap(),
                };
            }
            assert!(
                start.elapsed() < PATIENCE,
                "still running: {}",
                fs::read_to_string(&self.errors).unwrap()
            );
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Fails if it has ended, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Finished {
    fn printed(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.errors);
        self.out
    }
}

#[test]
fn two_processes_print_what_one_prints() {
    let input = Input::new();
    let alone = input.run(&[]);
    assert!(alone.contains("b0\ta1"), "{alone}");
    assert_eq!(input.run_cluster(2, &[]), alone);
}

#[test]
fn three_processes_of_two_workers_follow_updates_as_one_does() {
    let input = Input::new();
    let updates = input.updates();
    let alone = input.run(&["--updates", &updates]);
    assert!(alone.contains("epoch 2"), "{alone}");
    let arguments = ["--updates", &updates, "--workers", "2"];
    assert_eq!(input.run_cluster(3, &arguments), alone);
}

#[test]
fn two_workers_print_what_one_prints() {
    let input = Input::new();
    assert_eq!(input.run(&["--workers", "2"]), input.run(&[]));
}

#[test]
fn an_address_that_is_none_is_not_waited_for() {
    let input = Input::new();
    let hosts = input.hosts(1);
    let own = fs::read_to_string(&hosts).unwrap();
    fs::write(
        &hosts,
        format!("{own} no-such-host.invalid:4000\nlocalhost\n{own}127.0.0.1:0\n"),
    )
    .unwrap();
    let finished = input.start(&["--process", "0", "--hosts", &hosts]).finish();
    assert_eq!(finished.code, Some(2));
    let errors = finished.errors;
    for place in ["hosts:2:2", "hosts:3:1", "hosts:4:1", "hosts:5:1"] {
        assert!(errors.contains(place), "{errors}");
    }
}

#[test]
fn processes_with_different_rules_do_not_work_together() {
    let (input, other) = (Input::new(), Input::new());
    let changed = RULES.replace("w2 != w", "w != w2, w2 != r");
    fs::write(other.folder.path().join("rules.dl"), changed).unwrap();
    let hosts = input.hosts(2);
    let cluster = |number| ["--process", number, "--hosts", &hosts];
    for process in [input.start(&cluster("0")), other.start(&cluster("1"))] {
        let finished = process.finish();
        assert_eq!(finished.code, Some(2));
        let errors = finished.errors;
        assert!(errors.contains("another rule file"), "{errors}");
    }
}

/// Runs two processes; what process 0 complains about, and process 1 because of it.
fn failures(input: &Input, arguments: &[&str]) -> [String; 2] {
    let hosts = input.hosts(2);
    ["0", "1"]
        .map(|number| input.start(&[arguments, &["--process", number, "--hosts", &hosts]].concat()))
        .map(|process| {
            let finished = process.finish();
            assert_eq!(finished.code, Some(2), "{}", finished.errors);
            finished.errors
        })
}

#[test]
fn processes_fail_with_the_one_that_has_the_facts() {
    let wrong_facts = Input::new();
    let event = wrong_facts.folder.path().join("facts/event.facts");
    fs::write(event, "a0\ta\tfirst\n").unwrap();
    let contradictory = Input::new();
    let event = contradictory.folder.path().join("facts/event.facts");
    fs::write(event, "a0\ta\t0\na1\ta\t0\n").unwrap();
    let wrong_updates = Input::new();
    fs::write(
        wrong_updates.updates(),
        "+rf\tb0\ta1\tl1\ncommit\n+no\tb0\n",
    )
    .unwrap();
    let updates = wrong_updates.updates();
    for (input, arguments, why) in [
        (&wrong_facts, &[][..], "event.facts:1:6"),
        (&contradictory, &["--workers", "2"], "event.facts:2:1"),
        (&wrong_updates, &["--updates", &updates], "updates:3:2"),
    ] {
        let [first, second] = failures(input, arguments);
        assert!(first.contains(why), "{first}");
        let lost = "lost the connection to process 0";
        assert!(second.contains(lost), "{second}");
    }
}

/// Opens a pipe for writing once somebody has opened it for reading.
fn open_for_reader(pipe: &Path) -> File {
    const NONBLOCKING: i32 = 0o4000; // Linux: fails instead of waiting for a reader
    let start = Instant::now();
    loop {
        let mut options = File::options();
        match options.write(true).custom_flags(NONBLOCKING).open(pipe) {
            Ok(writer) => return writer,
            Err(error) => assert!(start.elapsed() < PATIENCE, "nobody reads: {error}"),
        }
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_process_that_goes_away_is_noticed() {
    let input = Input::new();
    let hosts = input.hosts(2);
    // Process 0 waits for its updates from a pipe that nobody writes to.
    let pipe = input.folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let updates = pipe.display().to_string();
    let first = input.start(&["--process", "0", "--hosts", &hosts, "--updates", &updates]);
    let second = input.start(&["--process", "1", "--hosts", &hosts]);
    // Opening the pipe succeeds once process 0 has settled and reads its updates.
    let mut writer = open_for_reader(&pipe);
    drop(second);
    std::io::Write::write_all(&mut writer, UPDATES.as_bytes()).unwrap();
    drop(writer);
    let finished = first.finish();
    let errors = finished.errors;
    assert_eq!(finished.code, Some(2), "{errors}");
    assert!(
        errors.contains("lost the connection to process 1"),
        "{errors}"
    );
}
