//! What gcc makes of C: the numbers that a program prints, in either data model.

use heddle_front::c::DataModel;
use std::path::Path;
use std::process::Command;

/// Without a C library, so that 32-bit programs run on a machine that has none for them.
const RUNTIME: &str = include_str!("runtime.c");

/// Compiles and runs declarations and the body of `main`, which calls `observe` with one
/// number after the other.
///
/// The 64-bit model is gcc's own and must work. `None` if this machine cannot run programs of
/// the other one, or if gcc itself stumbles over the program.
pub(crate) fn observe(
    folder: &Path,
    model: DataModel,
    declarations: &str,
    body: &str,
) -> Option<Vec<i64>> {
    let (source, program) = (folder.join("program.c"), folder.join("program"));
    let text = format!("{RUNTIME}\n{declarations}\nvoid start(void) {{\n{body}\n}}\n");
    std::fs::write(&source, &text).unwrap();
    // What gcc calls to compute is its own library's for the one, the runtime's for the other.
    let (width, libraries): (_, &[&str]) = match model {
        DataModel::Ilp32 => ("-m32", &[]),
        DataModel::Lp64 => ("-m64", &["-lgcc"]),
    };
    let compiled = Command::new("gcc")
        .args([width, "-w", "-O0", "-std=gnu11", "-fwrapv"])
        .args(["-fno-strict-aliasing", "-ffreestanding", "-fno-pic"])
        .args(["-fno-stack-protector", "-nostdlib", "-static", "-o"])
        .args([&program, &source])
        .args(libraries)
        .output()
        .expect("gcc is needed to compare with it");
    let messages = String::from_utf8_lossy(&compiled.stderr);
    if messages.contains("internal compiler error") {
        println!("skipped: {messages}");
        return None;
    }
    assert!(compiled.status.success(), "gcc refuses: {messages}\n{text}");
    let run = match Command::new(&program).output() {
        Ok(run) => run,
        Err(why) if model == DataModel::Ilp32 => {
            println!("skipped: no 32-bit program runs here ({why})");
            return None;
        }
        Err(why) => panic!("the compiled program does not run: {why}"),
    };
    assert!(run.status.success(), "{}\n{text}", run.status);
    let output = String::from_utf8(run.stdout).unwrap();
    let number = |line: &str| u64::from_str_radix(line, 16).unwrap() as i64;
    Some(output.lines().map(number).collect())
}

/// A literal of type `long long`.
pub(crate) fn literal(value: i64) -> String {
    // The least number has no literal of its own.
    match value {
        i64::MIN => "(-9223372036854775807LL - 1)".to_owned(),
        value => format!("{value}LL"),
    }
}
