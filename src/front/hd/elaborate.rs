//! A whole file as a program: declarations, then processes, then the property.

use super::check::Checker;
use super::functions::width_of;
use super::lower::Emitter;
use super::processes::{Instance, MOST_PROCESSES, Processes, shown, start_of, started};
use super::scope::{EnumInfo, Findings, Meaning, Names, similar};
use super::syntax::{
    Body, Dimension, ElementType, Family, File, Form, Granularity, Initial, Name, Process,
    TypeName, Variable,
};
use super::typed::*;
use heddle_diagnostics::{Diagnostic, Sources};
use heddle_program::{Constant, LocationId, Program, ProgramBuilder, TermId, ThreadId, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// The most elements of an array.
const MOST_ELEMENTS: u32 = 1 << 20;

/// The program of a file; what is wrong with it is added to the findings.
pub(crate) fn elaborate(file: &File, sources: Sources, findings: &mut Findings) -> Program {
    findings.unchecked = file.unchecked;
    let mut elaboration = Elaboration {
        builder: ProgramBuilder::new(sources),
        findings,
        globals: Names::default(),
        processes: Processes::default(),
    };
    elaboration.enumerations(file);
    elaboration.constants(file);
    elaboration.shared(file);
    elaboration.declare_processes(file);
    elaboration.bodies(file);
    elaboration.errors(file);
    elaboration.warn_unused(file);
    elaboration.warn_unreached();
    let mut program = elaboration.builder.finish();
    drop_unreached_edges(&mut program);
    program
}

/// Takes the edges away that no run gets to. What they do need not make sense: the end of an
/// atomic block that is always left by a jump, for one.
fn drop_unreached_edges(program: &mut Program) {
    let mut reached = vec![false; program.locations.len()];
    let mut pending: Vec<LocationId> = program.threads.iter().map(|thread| thread.entry).collect();
    while let Some(location) = pending.pop() {
        if !std::mem::replace(&mut reached[location.index()], true) {
            let targets = program.outgoing(location).iter();
            pending.extend(targets.map(|&edge| program.edge(edge).target));
        }
    }
    program.edges.retain(|edge| reached[edge.source.index()]);
    for location in &mut program.locations {
        location.outgoing.clear();
    }
    for id in program.edge_ids() {
        let source = program.edge(id).source;
        program.locations[source.index()].outgoing.push(id);
    }
}

pub(crate) struct Elaboration<'a> {
    pub(crate) builder: ProgramBuilder,
    pub(crate) findings: &'a mut Findings,
    pub(crate) globals: Names,
    pub(crate) processes: Processes,
}

impl Elaboration<'_> {
    fn checker<'b>(&'b mut self, locals: Option<&'b Names>) -> Checker<'b> {
        Checker {
            findings: &mut *self.findings,
            globals: &self.globals,
            locals,
            processes: None,
        }
    }

    fn enumerations(&mut self, file: &File) {
        for (index, enumeration) in file.enumerations.iter().enumerate() {
            let name = &enumeration.name;
            let known = self.findings.enumerations.iter();
            let first = known.clone().find(|first| first.name == name.text);
            if let Some(first) = first.map(|first| first.span) {
                self.findings.report(
                    Diagnostic::error(name.span, format!("there are two types `{}`", name.text))
                        .related(first, "the first one"),
                );
            } else if width_of(&name.text).is_some() {
                self.findings.report(Diagnostic::error(
                    name.span,
                    format!("`{}` is a type of bit-vectors", name.text),
                ));
            }
            let kind = Kind::Enum(EnumId(index));
            let mut values = Vec::new();
            for (number, member) in enumeration.members.iter().enumerate() {
                let number = number as i128;
                values.push((member.text.clone(), number));
                let meaning = Meaning::Constant(Constant::Int(number), kind);
                self.findings
                    .declare(&mut self.globals, None, member, meaning);
            }
            self.findings.enumerations.push(EnumInfo {
                name: name.text.clone(),
                span: name.span,
                enumeration: Arc::new(heddle_program::Enumeration {
                    name: name.text.clone(),
                    values,
                }),
            });
        }
    }

    fn constants(&mut self, file: &File) {
        for super::syntax::Constant { name, value } in &file.constants {
            let Some((constant, kind)) = self.checker(None).constant(value, None) else {
                // Taken as 1, so that its uses are not reported as well.
                let meaning = Meaning::Constant(Constant::Int(1), Kind::Int);
                self.findings
                    .declare(&mut self.globals, None, name, meaning);
                continue;
            };
            let meaning = Meaning::Constant(constant, kind);
            self.findings
                .declare(&mut self.globals, None, name, meaning);
        }
    }

    fn shared(&mut self, file: &File) {
        for variable in &file.shared {
            let kind = self.kind(&variable.kind, None);
            let initial = self.initial(variable, kind, None);
            self.builder.at(variable.name.span);
            let made = self.builder.shared(&variable.name.text, kind.sort());
            let made = match initial {
                Some(initial) => made.initial(initial),
                None => made,
            };
            let made = match kind.element() {
                Kind::Enum(EnumId(index)) => {
                    made.enumeration(self.findings.enumerations[index].enumeration.clone())
                }
                _ => made,
            };
            let meaning = Meaning::Variable(made.id(), kind);
            self.findings
                .declare(&mut self.globals, None, &variable.name, meaning);
        }
    }

    fn locals(&mut self, process: &Process, thread: ThreadId, names: &mut Names) {
        for variable in &process.locals {
            let kind = self.kind(&variable.kind, Some(names));
            let initial = self.initial(variable, kind, Some(names));
            self.builder.at(variable.name.span);
            let made = self.builder.local(thread, &variable.name.text, kind.sort());
            let made = match initial {
                Some(initial) => made.initial(initial),
                None => made,
            };
            let made = match kind.element() {
                Kind::Enum(EnumId(index)) => {
                    made.enumeration(self.findings.enumerations[index].enumeration.clone())
                }
                _ => made,
            };
            let meaning = Meaning::Variable(made.id(), kind);
            self.findings
                .declare(names, Some(&self.globals), &variable.name, meaning);
        }
    }

    /// The type that is written; `int` in place of one that is wrong.
    fn kind(&mut self, written: &TypeName, locals: Option<&Names>) -> Type {
        let element = match &written.element {
            ElementType::Int => Kind::Int,
            ElementType::Bool => Kind::Bool,
            ElementType::Named(name) => self.named_kind(name),
        };
        let mut index = Kind::Int;
        let range = match &written.dimension {
            None => return Type::Plain(element),
            Some(Dimension::Range(low, high)) => {
                self.checker(locals)
                    .range(low, high, MOST_ELEMENTS, "this range")
            }
            Some(Dimension::Count(count) | Dimension::Indexed(count, _)) => {
                if let Some(Dimension::Indexed(_, name)) = &written.dimension {
                    index = self.index_kind(name);
                }
                let found = self.checker(locals).constant(count, Some(INT));
                match found.map(|(constant, _)| constant) {
                    Some(Constant::Int(length)) if (1..=MOST_ELEMENTS.into()).contains(&length) => {
                        Some(0..=length - 1)
                    }
                    Some(Constant::Int(1..)) => {
                        self.findings.report(
                            Diagnostic::error(count.span, "this array is too long")
                                .label(format!("at most {MOST_ELEMENTS} are supported")),
                        );
                        None
                    }
                    Some(_) => {
                        let message = "an array has at least one element";
                        self.findings.report(Diagnostic::error(count.span, message));
                        None
                    }
                    None => None,
                }
            }
        };
        let range = range.unwrap_or(0..=0);
        let length = range.end() - range.start() + 1;
        if let Kind::Bits(width) = index
            && width < 32
            && length > 1 << width
            && let Some(Dimension::Indexed(_, name)) = &written.dimension
        {
            self.findings.report(Diagnostic::error(
                name.span,
                format!("{width} bits are too few for {length} elements"),
            ));
        }
        Type::Array(ArrayType {
            element,
            index,
            low: *range.start(),
            length: length as u32,
        })
    }

    fn index_kind(&mut self, name: &Name) -> Kind {
        match width_of(&name.text) {
            Some(width) => Kind::Bits(width),
            None => {
                self.findings.report(
                    Diagnostic::error(name.span, "an array is indexed by `int` or by bits")
                        .hint("as in `int[4]` or `bv8[4 : bv64]`"),
                );
                Kind::Int
            }
        }
    }

    fn named_kind(&mut self, name: &Name) -> Kind {
        if let Some(width) = width_of(&name.text) {
            return Kind::Bits(width);
        }
        let known = &self.findings.enumerations;
        if let Some(index) = known.iter().position(|known| known.name == name.text) {
            return Kind::Enum(EnumId(index));
        }
        let diagnostic = Diagnostic::error(name.span, format!("there is no type `{}`", name.text));
        let known = known.iter().map(|known| known.name.as_str());
        let known: Vec<&str> = known.chain(["int", "bool", "bv32", "bv64"]).collect();
        let diagnostic = match similar(&name.text, known) {
            Some(known) => diagnostic.hint(format!("did you mean `{known}`?")),
            None => diagnostic.hint("types are `int`, `bool`, `bv1` … `bv128` and enumerations"),
        };
        self.findings.report(diagnostic);
        Kind::Int
    }

    /// The initial value as a term; `None` for any value.
    fn initial(
        &mut self,
        variable: &Variable,
        kind: Type,
        locals: Option<&Names>,
    ) -> Option<TermId> {
        let element = Type::Plain(kind.element());
        let zero = Value::zero(kind.sort());
        let value = match &variable.initial {
            None => zero,
            Some(Initial::Value(written)) if matches!(written.form, Form::Any) => {
                if let Kind::Enum(_) = kind.element() {
                    self.findings.report(
                        Diagnostic::error(
                            written.span,
                            "an enumeration begins with one of its values",
                        )
                        .hint("assign `*` to it in a process"),
                    );
                    zero
                } else {
                    return None;
                }
            }
            Some(Initial::Value(written)) => {
                match (self.checker(locals).constant(written, Some(element)), kind) {
                    (Some((constant, _)), Type::Plain(_)) => constant.into(),
                    (Some((constant, _)), Type::Array(array)) => Value::Array {
                        sort: array.sort(),
                        elements: vec![constant; array.length as usize],
                    },
                    (None, _) => zero,
                }
            }
            Some(Initial::Elements(written, span)) => {
                let Type::Array(array) = kind else {
                    let shown = self.findings.show(kind);
                    self.findings.report(
                        Diagnostic::error(*span, "a list of elements is for an array")
                            .label(format!("this is for `{shown}`")),
                    );
                    return Some(self.builder.terms().value(&zero));
                };
                if written.len() != array.length as usize {
                    let (found, length) = (written.len(), array.length);
                    self.findings.report(Diagnostic::error(
                        *span,
                        format!("{found} values for an array of {length} elements"),
                    ));
                    return Some(self.builder.terms().value(&zero));
                }
                let elements: Vec<Constant> = written
                    .iter()
                    .map(|written| {
                        let found = self.checker(locals).constant(written, Some(element));
                        found.map_or(Constant::zero(array.element.scalar()), |(constant, _)| {
                            constant
                        })
                    })
                    .collect();
                Value::Array {
                    sort: array.sort(),
                    elements,
                }
            }
        };
        Some(self.builder.terms().value(&value))
    }

    /// The threads, so that processes can name each other.
    fn declare_processes(&mut self, file: &File) {
        let started = started(file);
        for (position, process) in file.processes.iter().enumerate() {
            let name = &process.name;
            let indices: Vec<Option<i128>> = match &process.family {
                None => vec![None],
                Some(Family { low, high, .. }) => {
                    let range = self
                        .checker(None)
                        .range(low, high, MOST_PROCESSES, "this family");
                    range.map_or(Vec::new(), |range| range.map(Some).collect())
                }
            };
            self.builder.at(name.span);
            let mut members = Vec::new();
            for index in indices {
                let thread = self
                    .builder
                    .thread(&shown(&name.text, index), start_of(&name.text, &started));
                members.push(Instance {
                    process: position,
                    index,
                    thread,
                    locals: Names::default(),
                    labels: HashMap::new(),
                });
            }
            self.processes.add(name, members, self.findings);
        }
    }

    fn bodies(&mut self, file: &File) {
        let granularity = match file.granularity {
            Some((granularity, _)) => granularity,
            None => Granularity::Statement,
        };
        for position in 0..self.processes.instances.len() {
            let instance = &self.processes.instances[position];
            let (thread, index) = (instance.thread, instance.index);
            let process = &file.processes[instance.process];
            let mut locals = Names::default();
            if let (Some(Family { index: name, .. }), Some(index)) = (&process.family, index) {
                let meaning = Meaning::Constant(Constant::Int(index), Kind::Int);
                self.findings
                    .declare(&mut locals, Some(&self.globals), name, meaning);
                self.findings.used.insert(name.span);
            }
            self.locals(process, thread, &mut locals);
            let mut emitter = Emitter {
                builder: &mut self.builder,
                findings: &mut *self.findings,
                globals: &self.globals,
                locals: &locals,
                processes: &self.processes,
                process,
                thread,
                granularity,
                unchecked: file.unchecked,
                locations: vec![None; file.statements],
                labels: HashMap::new(),
                section: None,
                exits: HashMap::new(),
                temporaries: HashMap::new(),
            };
            match &process.body {
                Body::Statements(block) => emitter.statements(block),
                Body::Commands(commands) => emitter.commands(commands),
            }
            let labels = emitter.labels.into_iter();
            let labels = labels.map(|(name, label)| (name, label.location)).collect();
            let instance = &mut self.processes.instances[position];
            instance.locals = locals;
            instance.labels = labels;
        }
    }

    fn warn_unused(&mut self, file: &File) {
        if self.findings.has_errors() {
            return;
        }
        let locals = file.processes.iter().flat_map(|process| &process.locals);
        for variable in file.shared.iter().chain(locals) {
            let name = &variable.name;
            if !self.findings.used.contains(&name.span) && !name.text.starts_with('_') {
                let message = format!("variable `{}` is never used", name.text);
                self.findings
                    .report(Diagnostic::warning(name.span, message));
            }
        }
    }

    /// A statement may be meant for some members of a family only.
    fn warn_unreached(&mut self) {
        if self.findings.has_errors() {
            return;
        }
        for span in std::mem::take(&mut self.findings.unreached) {
            if !self.findings.reached.contains(&span) {
                self.findings
                    .report(Diagnostic::warning(span, "this statement is never reached"));
            }
        }
    }
}
