//! A program to a folder of program facts.

use super::schema::*;
use super::tables::escaped;
use super::{formula, places};
use heddle_diagnostics::SourceId;
use heddle_program::{
    LocationId, Place, Program, Role, Scope, Start, StateFormula, Statement, Update,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io};

/// Writes the program into the folder, which is made if it does not exist. Files of a
/// program that was there before are replaced, also by nothing.
pub fn write(program: &Program, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for relation in SCHEMA {
        for extension in ["facts", "csv"] {
            match fs::remove_file(folder.join(format!("{}.{extension}", relation.name))) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
    }
    for (name, text) in files(program) {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text)?;
    }
    Ok(())
}

/// The files of the folder by name: one for each relation that has facts, and the source
/// texts that they refer to.
pub fn files(program: &Program) -> BTreeMap<String, String> {
    let mut writer = Writer {
        program,
        locations: program.location_names(),
        files: BTreeMap::new(),
    };
    writer.threads();
    writer.variables();
    for number in 0..program.edges.len() {
        writer.edge(number);
    }
    writer.property();
    writer.files
}

struct Writer<'a> {
    program: &'a Program,
    locations: Vec<String>,
    files: BTreeMap<String, String>,
}

impl Writer<'_> {
    fn row(&mut self, relation: &Relation, fields: &[&str]) {
        debug_assert_eq!(relation.columns.len(), fields.len());
        let file = self.files.entry(format!("{}.facts", relation.name));
        let text = file.or_default();
        text.push_str(&fields.join("\t"));
        text.push('\n');
    }

    fn location(&self, location: LocationId) -> String {
        self.locations[location.index()].clone()
    }

    fn threads(&mut self) {
        for id in self.program.thread_ids() {
            let thread = self.program.thread(id);
            let start = match thread.start {
                Start::AtBeginning => "beginning",
                Start::ByCreate => "create",
            };
            let entry = self.location(thread.entry);
            self.row(THREAD, &[&thread.name, &entry, start]);
        }
        for id in self.program.location_ids() {
            let thread = self.program.thread(self.program.location(id).thread);
            let location = self.location(id);
            self.row(LOCATION, &[&thread.name, &location]);
        }
    }

    fn variables(&mut self) {
        let program = self.program;
        let mut enumerations = BTreeSet::new();
        for id in program.variable_ids() {
            let variable = program.variable(id);
            let name = program.terms.name(id);
            let length = variable.sort.as_array().map_or(0, |sort| sort.length);
            self.row(
                VARIABLE,
                &[name, &variable.sort.to_string(), &length.to_string()],
            );
            if let Scope::Local(thread) = variable.scope {
                self.row(LOCAL, &[name, &program.thread(thread).name]);
            }
            if let Some(initial) = variable.initial {
                self.row(INITIAL, &[name, &program.terms.to_smtlib(initial)]);
            }
            if let Some(enumeration) = &variable.enumeration {
                self.row(ENUMERATED, &[name, &enumeration.name]);
                if enumerations.insert(enumeration.name.clone()) {
                    for (value, number) in &enumeration.values {
                        let number = number.to_string();
                        self.row(ENUMERATION, &[&enumeration.name, value, &number]);
                    }
                }
            }
        }
    }

    fn edge(&mut self, number: usize) {
        let program = self.program;
        let edge = &program.edges[number];
        let name = format!("e{number}");
        let thread = program.thread(program.location(edge.source).thread);
        let (source, target) = (self.location(edge.source), self.location(edge.target));
        self.row(EDGE, &[&name, &thread.name, &source, &target]);
        self.statement(&name, &edge.statement);
        if let Some(span) = edge.span {
            let file = self.source_file(span.source);
            let row = places::row(&program.sources, &name, &file, span);
            let text = self.files.entry(format!("{}.facts", SOURCE.name));
            text.or_default().push_str(&row);
        }
    }

    /// The name, inside the folder, of a copy of the source text.
    fn source_file(&mut self, source: SourceId) -> String {
        let sources = &self.program.sources;
        let path = Path::new(sources.name(source));
        let base = path.file_name().map_or("text".into(), |name| {
            name.to_string_lossy()
                .replace(['\t', '\n', '\r', '\\'], "_")
        });
        let mut name = format!("source/{base}");
        let text = sources.text(source);
        while self.files.get(&name).is_some_and(|other| other != text) {
            name = name.replacen("source/", "source/_", 1);
        }
        self.files.insert(name.clone(), text.to_owned());
        name
    }

    fn statement(&mut self, edge: &str, statement: &Statement) {
        let program = self.program;
        let term = |term| program.terms.to_smtlib(term);
        match statement {
            Statement::Skip => {}
            Statement::Assign { target, value } => {
                let (variable, index) = self.place(*target);
                self.row(ASSIGN, &[edge, &variable, &index, &term(*value)]);
            }
            Statement::Havoc { target } => {
                let (variable, index) = self.place(*target);
                self.row(HAVOC, &[edge, &variable, &index]);
            }
            Statement::Assume(condition) => self.row(ASSUME, &[edge, &term(*condition)]),
            Statement::Assert { condition, message } => {
                self.row(ASSERT, &[edge, &term(*condition), &escaped(message)]);
            }
            Statement::Guarded {
                guard,
                updates,
                role,
            } => {
                self.row(GUARD, &[edge, &term(*guard)]);
                for (position, (target, update)) in updates.iter().enumerate() {
                    let (variable, index) = self.place(*target);
                    let value = match update {
                        Update::Value(value) => term(*value),
                        Update::Any => ANY_VALUE.to_owned(),
                    };
                    let position = position.to_string();
                    self.row(UPDATE, &[edge, &position, &variable, &index, &value]);
                }
                self.role(edge, *role);
            }
            Statement::Create(thread) => self.row(CREATE, &[edge, &program.thread(*thread).name]),
            Statement::Join(thread) => self.row(JOIN, &[edge, &program.thread(*thread).name]),
            Statement::AtomicBegin => self.row(ATOMIC_BEGIN, &[edge]),
            Statement::AtomicEnd => self.row(ATOMIC_END, &[edge]),
            Statement::BoundReached(reason) => {
                self.row(BOUND_REACHED, &[edge, &escaped(reason)]);
            }
        }
    }

    fn role(&mut self, edge: &str, role: Role) {
        match role {
            Role::Command => {}
            Role::Lock(mutex) => {
                let (variable, index) = self.place(mutex);
                self.row(ROLE, &[edge, "lock", &variable, &index]);
            }
            Role::Unlock(mutex) => {
                let (variable, index) = self.place(mutex);
                self.row(ROLE, &[edge, "unlock", &variable, &index]);
            }
            Role::ReadModifyWrite => self.row(ROLE, &[edge, "rmw", NO_INDEX, NO_INDEX]),
        }
    }

    fn place(&self, place: Place) -> (String, String) {
        let index = match place {
            Place::Variable(_) => NO_INDEX.to_owned(),
            Place::Element(_, index) => self.program.terms.to_smtlib(index),
        };
        let name = self.program.terms.name(place.variable());
        (name.to_owned(), index)
    }

    fn property(&mut self) {
        let program = self.program;
        if let Some(error) = &program.property.error {
            // One row a disjunct, the more readable form.
            let parts = match &error.formula {
                StateFormula::Or(parts) if !parts.is_empty() => &parts[..],
                formula => std::slice::from_ref(formula),
            };
            for part in parts {
                let name = |location: LocationId| self.location(location);
                let text = formula::to_text(program, part, &name);
                self.row(ERROR, &[&text]);
            }
        }
        for assumption in &program.assumptions {
            self.row(ASSUMPTION, &[&escaped(&assumption.text)]);
        }
        if let Some(bound) = program.bound {
            self.row(BOUND, &[&bound.0.to_string()]);
        }
    }
}
