//! Which processes there are: families unfolded, one thread each.

use super::scope::{Declared, Findings, Names, suggest};
use super::syntax::{Action, Block, Body, Expression, File, Form, Name, Process};
use heddle_diagnostics::{Diagnostic, Span};
use heddle_program::{LocationId, Start, ThreadId};
use std::collections::{HashMap, HashSet};

/// How many processes a family may have.
pub(crate) const MOST_PROCESSES: u32 = 1000;

#[derive(Default)]
pub(crate) struct Processes {
    families: Vec<FamilyInfo>,
    pub(crate) instances: Vec<Instance>,
}

struct FamilyInfo {
    name: String,
    span: Span,
    /// Positions in `instances`.
    members: Vec<usize>,
}

pub(crate) struct Instance {
    /// The position of its process in the file.
    pub(crate) process: usize,
    pub(crate) index: Option<i128>,
    pub(crate) thread: ThreadId,
    pub(crate) locals: Names,
    pub(crate) labels: HashMap<String, LocationId>,
}

impl Processes {
    /// Notes a process with its members; a second one of the same name is reported.
    pub(crate) fn add(
        &mut self,
        name: &Name,
        members: impl IntoIterator<Item = Instance>,
        findings: &mut Findings,
    ) {
        if let Some(first) = self.families.iter().find(|other| other.name == name.text) {
            findings.report(
                Diagnostic::error(
                    name.span,
                    format!("there are two processes `{}`", name.text),
                )
                .related(first.span, "the first one"),
            );
        }
        let first = self.instances.len();
        self.instances.extend(members);
        self.families.push(FamilyInfo {
            name: name.text.clone(),
            span: name.span,
            members: (first..self.instances.len()).collect(),
        });
    }

    /// Notes one more member of a family.
    pub(crate) fn join(&mut self, family: &str, span: Span, member: Instance) {
        let position = self.instances.len();
        self.instances.push(member);
        match self.families.iter_mut().find(|other| other.name == family) {
            Some(family) => family.members.push(position),
            None => self.families.push(FamilyInfo {
                name: family.to_owned(),
                span,
                members: vec![position],
            }),
        }
    }

    /// The instance that `p` or `p[1]` names.
    pub(crate) fn find(&self, name: &str, index: Option<i128>) -> Option<&Instance> {
        let family = self.families.iter().find(|family| family.name == name)?;
        family
            .members
            .iter()
            .map(|&member| &self.instances[member])
            .find(|instance| instance.index == index)
    }

    /// Why there is no such instance.
    pub(crate) fn missing(&self, span: Span, name: &str, index: Option<i128>) -> Diagnostic {
        let Some(family) = self.families.iter().find(|family| family.name == name) else {
            let diagnostic = Diagnostic::error(span, format!("there is no process `{name}`"));
            let known = self.families.iter().map(|family| family.name.as_str());
            return suggest(diagnostic, name, known);
        };
        let first = family.members.first().map(|&first| &self.instances[first]);
        match (index, first.and_then(|instance| instance.index)) {
            (None, Some(example)) => {
                Diagnostic::error(span, format!("`{name}` is a family of processes"))
                    .hint(format!("name one of them, such as `{name}[{example}]`"))
            }
            (Some(_), None) => Diagnostic::error(span, format!("`{name}` is a single process"))
                .hint(format!("it is named `{name}`, without an index")),
            (index, _) => Diagnostic::error(
                span,
                format!("there is no process `{}`", shown(name, index)),
            )
            .related(family.span, "the family"),
        }
    }

    pub(crate) fn local(&self, name: &str, index: Option<i128>, local: &str) -> Option<Declared> {
        self.find(name, index)?.locals.0.get(local).copied()
    }
}

/// A process as it is named.
pub(crate) fn shown(name: &str, index: Option<i128>) -> String {
    match index {
        Some(index) => format!("{name}[{index}]"),
        None => name.to_owned(),
    }
}

/// The names of the processes that some `start` mentions.
pub(crate) fn started(file: &File) -> HashSet<String> {
    let mut names = HashSet::new();
    for Process { body, .. } in &file.processes {
        if let Body::Statements(block) = body {
            collect(block, &mut names);
        }
    }
    names
}

fn collect(block: &Block, names: &mut HashSet<String>) {
    for statement in &block.statements {
        if let Action::Start(process) = &statement.action {
            names.extend(process_word(process));
        }
        for inner in statement.action.blocks() {
            collect(inner, names);
        }
    }
}

fn process_word(process: &Expression) -> Option<String> {
    match &process.form {
        Form::Name(name) => Some(name.clone()),
        Form::Element(family, _) => process_word(family),
        _ => None,
    }
}

pub(crate) fn start_of(name: &str, started: &HashSet<String>) -> Start {
    if started.contains(name) {
        Start::ByCreate
    } else {
        Start::AtBeginning
    }
}
