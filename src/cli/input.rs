//! The program that a command works on.

use crate::cli::output;
use crate::cli::report::complaint;
use clap::{ValueEnum, ValueHint};
use heddle_diagnostics::Report;
use heddle_front::c;
use heddle_program::Program;
use std::path::{Path, PathBuf};

/// Where `--help` lists the options of [`CArgs`].
const C: &str = "C programs";

#[derive(clap::Args)]
pub(crate) struct Input {
    /// A `.c`, `.i` or `.hd` file, or a folder of facts.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub(crate) input: PathBuf,
    #[command(flatten)]
    c: CArgs,
}

/// What can be chosen about a C program.
#[derive(clap::Args)]
pub(crate) struct CArgs {
    /// The widths of `long` and of pointers: 32 or 64 bits.
    #[arg(help_heading = C, long, value_enum, default_value_t = DataModel::Lp64)]
    data_model: DataModel,
    /// What arithmetic on signed integers is: on as many bits as the type has, or mathematical,
    /// which never overflows.
    #[arg(help_heading = C, long, value_enum, default_value_t = Integers::Bits)]
    integers: Integers,
    /// Threads that a loop may create where their number is not evident.
    #[arg(help_heading = C, long, value_name = "N", default_value_t = c::Options::default().max_threads)]
    max_threads: u32,
    /// Calls of one function that may be active at once in a thread.
    #[arg(help_heading = C, long, value_name = "N", default_value_t = c::Options::default().recursion)]
    recursion: u32,
    /// Objects that one call of malloc may create if it lies in a loop.
    #[arg(help_heading = C, long, value_name = "N", default_value_t = c::Options::default().max_heap_objects)]
    max_heap_objects: u32,
    /// Elements of an array whose length is not a constant.
    #[arg(help_heading = C, long, value_name = "N", default_value_t = c::Options::default().max_array)]
    max_array: u32,
    /// Signed overflow is a violation; otherwise numbers wrap around.
    #[arg(help_heading = C, long)]
    check_overflow: bool,
    /// Invalid memory accesses, division by zero and too wide shifts are violations;
    /// otherwise they are assumed not to happen.
    #[arg(help_heading = C, long)]
    check_memory: bool,
    /// malloc may return a null pointer.
    #[arg(help_heading = C, long)]
    malloc_may_fail: bool,
    /// Bodies of __VERIFIER_atomic_begin and __VERIFIER_atomic_end are executed instead of
    /// what these names stand for.
    #[arg(help_heading = C, long)]
    atomic_bodies: bool,
    /// A folder that #include searches first.
    #[arg(help_heading = C, short = 'I', long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    include: Vec<PathBuf>,
    /// A macro of the preprocessor.
    #[arg(help_heading = C, short = 'D', long, value_name = "NAME[=VALUE]")]
    define: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Integers {
    Bits,
    Mathematical,
}

#[derive(Clone, Copy, ValueEnum)]
enum DataModel {
    Ilp32,
    Lp64,
}

impl CArgs {
    fn options(&self) -> c::Options {
        c::Options {
            data_model: match self.data_model {
                DataModel::Ilp32 => c::DataModel::Ilp32,
                DataModel::Lp64 => c::DataModel::Lp64,
            },
            integers: match self.integers {
                Integers::Bits => c::Integers::Bits,
                Integers::Mathematical => c::Integers::Mathematical,
            },
            max_threads: self.max_threads,
            recursion: self.recursion,
            max_heap_objects: self.max_heap_objects,
            max_array: self.max_array,
            check_overflow: self.check_overflow,
            check_memory: self.check_memory,
            malloc_may_fail: self.malloc_may_fail,
            atomic_bodies: self.atomic_bodies,
            include: self.include.clone(),
            define: self.define.clone(),
            ..c::Options::default()
        }
    }
}

impl Input {
    /// Reads the program; warnings are shown.
    pub(crate) fn load(&self) -> Result<Program, Report> {
        load(&self.input, &self.c)
    }
}

/// Reads a program; warnings are shown.
pub(crate) fn load(path: &Path, c: &CArgs) -> Result<Program, Report> {
    if c.check_overflow && c.integers == Integers::Mathematical {
        let why = "--check-overflow has nothing to check: --integers mathematical never overflow";
        return Err(complaint(why.to_owned()));
    }
    let options = heddle_front::Options { c: c.options() };
    let (program, warnings) = heddle_front::load(path, &options)?;
    output::show(&warnings);
    Ok(program)
}
