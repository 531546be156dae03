//! A folder of program facts to a program.

use super::checks::{self, Origin};
use super::formula;
use super::names::Names;
use super::places;
use super::schema::*;
use super::statements;
use super::tables::{Field, Tables};
use heddle_diagnostics::{Diagnostic, Report, Span};
use heddle_program::{
    Bound, EdgeId, Enumeration, LocationId, MAX_LENGTH, Program, ProgramBuilder, Sort, Start,
    TermId, ThreadId, VarId,
};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Reads the program that a folder holds. Warnings come with it, errors instead of it.
pub fn read(folder: &Path) -> Result<(Program, Report), Report> {
    read_all(folder).map_err(Report::shortened)
}

fn read_all(folder: &Path) -> Result<(Program, Report), Report> {
    let mut report = Report::default();
    let tables = Tables::read(folder, &mut report);
    if tables.rows(THREAD).is_empty() && !report.has_errors() {
        let message = format!("`{}` has no threads in `thread.facts`", folder.display());
        let mut error = Diagnostic::without_place(message);
        if folder.join("event.facts").exists() {
            error = error.hint("these are event facts, which the commands `heddle rules` read");
        }
        report.diagnostics.push(error);
    }
    let mut reader = Reader {
        builder: ProgramBuilder::default(),
        threads: Names::new("thread"),
        locations: HashMap::new(),
        variables: Names::new("variable"),
        edges: Names::new("edge"),
        origins: Vec::new(),
        diagnostics: Vec::new(),
    };
    reader.read(&tables);
    report.diagnostics.append(&mut reader.diagnostics);
    if report.has_errors() {
        return Err(report);
    }
    let mut program = reader.builder.finish();
    report.diagnostics.extend(program.validate());
    if report.has_errors() {
        return Err(report);
    }
    checks::insert(&mut program, &reader.origins, &report.sources);
    // A trace shows where an edge comes from; a row of a table says less than the statement.
    for edge in &mut program.edges {
        edge.span = None;
    }
    let problems = places::apply(
        folder,
        tables.rows(SOURCE),
        &reader.edges,
        &mut program,
        &mut report.sources,
    );
    report.diagnostics.extend(problems);
    if report.has_errors() {
        return Err(report);
    }
    program.sources = report.sources.clone();
    Ok((program, report))
}

/// The state of reading: what was declared, and what is wrong.
pub(crate) struct Reader {
    pub(crate) builder: ProgramBuilder,
    pub(crate) threads: Names<ThreadId>,
    locations: HashMap<ThreadId, Names<LocationId>>,
    pub(crate) variables: Names<VarId>,
    pub(crate) edges: Names<EdgeId>,
    /// Of the edges, by [`EdgeId`].
    origins: Vec<Origin>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Reader {
    fn read(&mut self, tables: &Tables) {
        self.threads(tables);
        self.variables(tables);
        self.edges(tables);
        for row in tables.rows(ERROR) {
            let [condition] = &row.fields[..] else {
                continue;
            };
            self.builder.at(row.span);
            match formula::parse(self, &condition.text) {
                Ok(formula) => self.builder.error(formula),
                Err(error) => self.diagnostics.push(condition.text_error(error)),
            }
        }
        for row in tables.rows(ASSUMPTION) {
            self.builder.at(row.span);
            let text = row.fields[0].unescaped();
            if let Some(text) = self.noted(text) {
                self.builder.assumption(text);
            }
        }
        self.bound(tables);
    }

    /// The value, or a diagnostic more.
    pub(crate) fn noted<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(diagnostic) => {
                self.diagnostics.push(diagnostic);
                None
            }
        }
    }

    fn threads(&mut self, tables: &Tables) {
        // The builder makes a thread together with its entry, so the entry's name is known
        // before the other locations are declared.
        let mut entries: Vec<(&Field, LocationId, ThreadId)> = Vec::new();
        for row in tables.rows(THREAD) {
            let [name, entry, start] = &row.fields[..] else {
                continue;
            };
            let start = match start.text.as_str() {
                "beginning" => Start::AtBeginning,
                "create" => Start::ByCreate,
                other => {
                    let message = format!("`{other}` does not say when the thread starts");
                    self.diagnostics.push(
                        start
                            .error(message)
                            .hint("`beginning`, or `create` for a thread that another creates"),
                    );
                    Start::AtBeginning
                }
            };
            let usable = self.threads.check(name);
            if self.noted(usable).is_none() {
                continue;
            }
            self.builder.at(name.span);
            let thread = self.builder.thread(&name.text, start);
            let declared = self.threads.declare(name, thread);
            self.noted(declared);
            self.locations.insert(thread, Names::new("location"));
            entries.push((entry, self.builder.entry(thread), thread));
        }
        for row in tables.rows(LOCATION) {
            let [thread, location] = &row.fields[..] else {
                continue;
            };
            let found = self.threads.resolve(thread);
            let Some(thread) = self.noted(found) else {
                continue;
            };
            let names = self.locations.get(&thread).expect("one for each thread");
            let usable = names.check(location);
            if self.noted(usable).is_none() {
                continue;
            }
            self.builder.at(location.span);
            let entry = entries
                .iter()
                .find(|(name, _, owner)| *owner == thread && name.text == location.text);
            let id = match entry {
                Some((_, id, _)) => *id,
                None => self.builder.location(thread),
            };
            self.builder.label(id, &location.text);
            let names = self
                .locations
                .get_mut(&thread)
                .expect("one for each thread");
            let declared = names.declare(location, id);
            self.noted(declared);
        }
        for (name, _, thread) in entries {
            let found = self.location(thread, name);
            self.noted(found);
        }
    }

    fn variables(&mut self, tables: &Tables) {
        let mut owners: HashMap<&str, ThreadId> = HashMap::new();
        let mut local_fields: Vec<&Field> = Vec::new();
        for row in tables.rows(LOCAL) {
            let [variable, thread] = &row.fields[..] else {
                continue;
            };
            let found = self.threads.resolve(thread);
            if let Some(thread) = self.noted(found) {
                let previous = owners.insert(&variable.text, thread);
                if previous.is_some_and(|previous| previous != thread) {
                    let message = format!("variable `{}` is local to two threads", variable.text);
                    self.diagnostics.push(variable.error(message));
                }
            }
            local_fields.push(variable);
        }
        for row in tables.rows(VARIABLE) {
            let [name, sort, length] = &row.fields[..] else {
                continue;
            };
            let sort = self.sort(sort, length);
            let usable = self.variables.check(name);
            let (Some(()), Some(sort)) = (self.noted(usable), sort) else {
                continue;
            };
            self.builder.at(name.span);
            let id = match owners.get(name.text.as_str()) {
                Some(&thread) => self.builder.local_named(thread, &name.text, sort),
                None => self.builder.shared(&name.text, sort).id(),
            };
            let declared = self.variables.declare(name, id);
            self.noted(declared);
        }
        for variable in local_fields {
            let found = self.variables.resolve(variable);
            self.noted(found);
        }
        self.initial_values(tables);
        self.enumerations(tables);
    }

    fn sort(&mut self, sort: &Field, length: &Field) -> Option<Sort> {
        let number = length.text.parse::<u32>().map_err(|_| {
            length
                .error("the length of an array is expected here")
                .hint("0 for a variable that is not an array")
        });
        let number = self.noted(number)?;
        if number > MAX_LENGTH {
            let message = format!("an array has at most {MAX_LENGTH} elements");
            self.diagnostics.push(length.error(message));
            return None;
        }
        let parsed = Sort::parse(&sort.text, Some(number));
        let parsed = self.noted(parsed.map_err(|error| sort.text_error(error)))?;
        if parsed.as_array().is_some() != (number > 0) {
            let diagnostic = match number {
                0 => length.error("an array has at least one element"),
                _ => length
                    .error(format!("a length is given, but {parsed} is not an array"))
                    .hint("0 for a variable that is not an array"),
            };
            self.diagnostics.push(diagnostic);
            return None;
        }
        Some(parsed)
    }

    fn initial_values(&mut self, tables: &Tables) {
        let mut seen: HashMap<VarId, Span> = HashMap::new();
        for row in tables.rows(INITIAL) {
            let [variable, value] = &row.fields[..] else {
                continue;
            };
            let found = self.variables.resolve(variable);
            let Some(id) = self.noted(found) else {
                continue;
            };
            if let Some(earlier) = seen.insert(id, variable.span) {
                let message = format!("variable `{}` has two initial values", variable.text);
                let diagnostic = variable.error(message).related(earlier, "the first one");
                self.diagnostics.push(diagnostic);
                continue;
            }
            let sort = self.builder.program().variable(id).sort;
            let Some(term) = self.term(value, sort) else {
                continue;
            };
            let terms = &self.builder.program().terms;
            if !terms.variables_of(term).is_empty() {
                let message = "an initial value does not mention variables";
                self.diagnostics.push(value.error(message));
                continue;
            }
            let found = terms.evaluate(term, |_| unreachable!("it mentions no variable"));
            match found {
                Ok(_) => self.builder.set_initial(id, term),
                Err(error) => {
                    let message = format!("this has no value: {error}");
                    self.diagnostics.push(value.error(message));
                }
            }
        }
    }

    fn enumerations(&mut self, tables: &Tables) {
        let mut enumerations: HashMap<&str, Enumeration> = HashMap::new();
        for row in tables.rows(ENUMERATION) {
            let [enumeration, name, value] = &row.fields[..] else {
                continue;
            };
            let number = value.text.parse::<i128>();
            let number = number.map_err(|_| value.error("a number is expected here"));
            if let Some(number) = self.noted(number) {
                enumerations
                    .entry(&enumeration.text)
                    .or_insert_with(|| Enumeration {
                        name: enumeration.text.clone(),
                        values: Vec::new(),
                    })
                    .values
                    .push((name.text.clone(), number));
            }
        }
        let enumerations: HashMap<&str, Arc<Enumeration>> = enumerations
            .into_iter()
            .map(|(name, enumeration)| (name, Arc::new(enumeration)))
            .collect();
        for row in tables.rows(ENUMERATED) {
            let [variable, enumeration] = &row.fields[..] else {
                continue;
            };
            let found = self.variables.resolve(variable);
            let id = self.noted(found);
            match enumerations.get(enumeration.text.as_str()) {
                Some(values) => {
                    if let Some(id) = id {
                        self.builder.set_enumeration(id, values.clone());
                    }
                }
                None => {
                    let message = format!("there is no enumeration `{}`", enumeration.text);
                    self.diagnostics.push(enumeration.error(message));
                }
            }
        }
    }

    fn edges(&mut self, tables: &Tables) {
        let mut statements = statements::collect(self, tables);
        for row in tables.rows(EDGE) {
            let [name, thread, source, target] = &row.fields[..] else {
                continue;
            };
            let found = self.threads.resolve(thread);
            let Some(thread) = self.noted(found) else {
                continue;
            };
            let (source, target) = (self.location(thread, source), self.location(thread, target));
            let (source, target) = (self.noted(source), self.noted(target));
            let usable = self.edges.check(name);
            let usable = self.noted(usable);
            let (Some(source), Some(target), Some(())) = (source, target, usable) else {
                continue;
            };
            let (statement, said) = statements.take(&name.text);
            // What is wrong with an edge is mostly what it does.
            let said = said.unwrap_or(row.span);
            self.builder.at(said);
            self.origins.push(Origin {
                name: name.text.clone(),
                row: said,
            });
            let edge = self.builder.edge(source, statement, target);
            let declared = self.edges.declare(name, edge);
            self.noted(declared);
        }
        statements.report_unused(self);
    }

    fn bound(&mut self, tables: &Tables) {
        if let [_, second, ..] = tables.rows(BOUND) {
            self.diagnostics
                .push(Diagnostic::error(second.span, "a program has one bound"));
        }
        for row in tables.rows(BOUND) {
            let [field] = &row.fields[..] else { continue };
            let number = field.text.parse::<u32>();
            let number = number.map_err(|_| field.error("a number is expected here"));
            if let Some(number) = self.noted(number) {
                self.builder.bound(Bound(number));
            }
        }
    }

    pub(crate) fn find_location(&self, thread: ThreadId, name: &str) -> Option<LocationId> {
        self.locations.get(&thread)?.find(name)
    }

    fn location(&self, thread: ThreadId, field: &Field) -> Result<LocationId, Diagnostic> {
        self.locations
            .get(&thread)
            .expect("one for each thread")
            .resolve(field)
            .map_err(|diagnostic| {
                let thread = &self.builder.program().thread(thread).name;
                diagnostic.hint(format!(
                    "the locations of thread `{thread}` are listed in `location.facts`"
                ))
            })
    }

    /// The term of this sort that the field holds.
    pub(crate) fn term(&mut self, field: &Field, sort: Sort) -> Option<TermId> {
        let parsed = self.builder.terms().parse(&field.text, Some(sort));
        self.noted(parsed.map_err(|error| field.text_error(error)))
    }
}
