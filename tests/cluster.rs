//! `heddle rules run` on several processes prints what one process prints.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

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

    /// A file with so many addresses that are free at the moment.
    fn hosts(&self, count: usize) -> String {
        let listeners: Vec<TcpListener> = (0..count)
            .map(|_| TcpListener::bind("127.0.0.1:0").unwrap())
            .collect();
        let lines: Vec<String> = listeners
            .iter()
            .map(|listener| listener.local_addr().unwrap().to_string() + "\n")
            .collect();
        let file = self.folder.path().join("hosts");
        fs::write(&file, lines.concat()).unwrap();
        file.display().to_string()
    }

    fn start(&self, arguments: &[&str]) -> Child {
        let path = |name: &str| self.folder.path().join(name);
        Command::new(env!("CARGO_BIN_EXE_heddle"))
            .args(["rules", "run"])
            .arg(path("rules.dl"))
            .arg("--facts")
            .arg(path("facts"))
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    fn updates(&self) -> String {
        self.folder.path().join("updates").display().to_string()
    }

    fn run(&self, arguments: &[&str]) -> String {
        printed(self.start(arguments).wait_with_output().unwrap())
    }

    /// What process 0 of so many prints; the others print nothing.
    fn run_cluster(&self, processes: usize, arguments: &[&str]) -> String {
        let hosts = self.hosts(processes);
        let children: Vec<Child> = (0..processes)
            .map(|process| {
                let number = process.to_string();
                let cluster = ["--process", &number, "--hosts", &hosts];
                self.start(&[arguments, &cluster].concat())
            })
            .collect();
        let mut outputs = children
            .into_iter()
            .map(|child| printed(child.wait_with_output().unwrap()));
        let first = outputs.next().unwrap();
        assert!(outputs.all(|output| output.is_empty()));
        first
    }
}

fn printed(output: Output) -> String {
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
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
fn processes_with_different_rules_do_not_work_together() {
    let (input, other) = (Input::new(), Input::new());
    let changed = RULES.replace("w2 != w", "w != w2, w2 != r");
    fs::write(other.folder.path().join("rules.dl"), changed).unwrap();
    let hosts = input.hosts(2);
    let cluster = |number| ["--process", number, "--hosts", &hosts];
    let children = [input.start(&cluster("0")), other.start(&cluster("1"))];
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.contains("another rule file"), "{errors}");
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
    let mut second = input.start(&["--process", "1", "--hosts", &hosts]);
    // Opening the pipe succeeds once process 0 has settled and reads its updates.
    let mut writer = fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    second.kill().unwrap();
    second.wait().unwrap();
    std::io::Write::write_all(&mut writer, UPDATES.as_bytes()).unwrap();
    drop(writer);
    let output = first.wait_with_output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(
        errors.contains("lost the connection to process 1"),
        "{errors}"
    );
}
