//! Programs as `.hd` text, whatever they came from: to be read by a person, and by
//! [`read`](super::read) with the same verdict.
//!
//! What the text does not keep: the places in other sources, which step is a lock (it is an
//! atomic step like others), and the names of enumerations (their values are numbers).

use super::print_terms::TermPrinter;
use heddle_program::{
    Bound, Constant, EdgeId, LocationId, Place, Program, Scope, Sort, Start, StateFormula,
    Statement, TermId, ThreadId, Update, Value,
};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// The program as `.hd` text.
pub fn print(program: &Program) -> String {
    let mut printer = Printer::new(program);
    // Programs have assertions for their indices and divisors already.
    printer.line(0, "checks off;\n");
    printer.variables(None);
    for thread in program.thread_ids() {
        if printer.processes.contains_key(&thread) {
            printer.process(thread);
        }
    }
    if let Some(error) = &program.property.error {
        let formula = printer.formula(&error.formula);
        writeln!(printer.text, "\nerror: {formula};").expect("text grows");
    }
    printer.text
}

struct Printer<'a> {
    program: &'a Program,
    text: String,
    terms: TermPrinter,
    /// The names of processes; threads that nobody starts are left out.
    processes: HashMap<ThreadId, String>,
    labels: HashMap<LocationId, String>,
    /// The labels of each thread that are taken.
    taken: HashMap<ThreadId, Names>,
    /// Locations whose label is in the text.
    printed: HashSet<LocationId>,
    inside_atomic: Vec<bool>,
    /// Locations that the error condition mentions.
    mentioned: HashSet<LocationId>,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program) -> Self {
        let mut created = HashSet::new();
        for edge in &program.edges {
            if let Statement::Create(thread) = edge.statement {
                created.insert(thread);
            }
        }
        let mut names = Names::default();
        let mut processes = HashMap::new();
        for thread in program.thread_ids() {
            let info = program.thread(thread);
            if info.start == Start::AtBeginning || created.contains(&thread) {
                processes.insert(thread, names.unused(&info.name));
            }
        }
        let mut printer = Printer {
            program,
            text: String::new(),
            terms: TermPrinter::new(&program.terms, variable_names(program)),
            processes,
            labels: HashMap::new(),
            taken: HashMap::new(),
            printed: HashSet::new(),
            inside_atomic: program.inside_atomic(),
            mentioned: program.property.locations().collect(),
        };
        printer.name_locations();
        printer
    }

    fn name_locations(&mut self) {
        for thread in self.program.thread_ids() {
            let mut names = Names::default();
            let own = self.program.location_ids();
            let own = own.filter(|&id| self.program.location(id).thread == thread);
            let (labelled, plain): (Vec<_>, Vec<_>) =
                own.partition(|&id| self.program.location(id).label.is_some());
            for location in labelled.into_iter().chain(plain) {
                let wanted = self.program.location_name(location);
                let is_number = wanted.bytes().all(|byte| byte.is_ascii_digit());
                let name = match is_number && names.take(&wanted) {
                    true => wanted,
                    false => names.unused(&wanted),
                };
                self.labels.insert(location, name);
            }
            self.taken.insert(thread, names);
        }
    }

    /// A location's label, about to be written down.
    fn label(&mut self, location: LocationId) -> String {
        self.printed.insert(location);
        self.labels[&location].clone()
    }

    fn line(&mut self, indent: usize, line: &str) {
        for _ in 0..indent {
            self.text.push_str("    ");
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// The shared variables, or the local ones of a thread.
    fn variables(&mut self, owner: Option<ThreadId>) {
        for id in self.program.variable_ids() {
            let variable = self.program.variable(id);
            let (word, indent) = match (variable.scope, owner) {
                (Scope::Shared, None) => ("shared", 0),
                (Scope::Local(thread), Some(owner)) if thread == owner => ("local", 1),
                _ => continue,
            };
            let name = self.terms.name(id).to_owned();
            let kind = type_name(variable.sort);
            let initial = match variable.initial {
                None => "*".to_owned(),
                Some(initial) => self.initial(initial),
            };
            let mut line = format!("{word} {name}: {kind} = {initial};");
            if let Some(enumeration) = &variable.enumeration {
                let values = enumeration.values.iter();
                let values: Vec<String> = values
                    .map(|(name, value)| format!("{name} = {value}"))
                    .collect();
                write!(line, "  // {}: {}", enumeration.name, values.join(", "))
                    .expect("text grows");
            }
            self.line(indent, &line);
        }
    }

    fn initial(&mut self, initial: TermId) -> String {
        let value = self.program.terms.evaluate(initial, |_| {
            unreachable!("an initial value mentions no variable")
        });
        match value {
            Ok(Value::Array { elements, .. }) => {
                let all_equal = elements.iter().all(|element| *element == elements[0]);
                if all_equal {
                    return constant(elements[0]);
                }
                let elements: Vec<String> = elements.into_iter().map(constant).collect();
                format!("{{{}}}", elements.join(", "))
            }
            Ok(Value::Scalar(value)) => constant(value),
            // Only a division by zero has no value; then any will do.
            Err(_) => "*".to_owned(),
        }
    }

    fn process(&mut self, thread: ThreadId) {
        let name = self.processes[&thread].clone();
        self.line(0, "");
        self.line(0, &format!("process {name} {{"));
        self.variables(Some(thread));
        if !self.commands(thread) {
            self.statements(thread);
        }
        self.line(0, "}");
    }

    /// Prints a thread that is a set of guarded commands, if it is one.
    fn commands(&mut self, thread: ThreadId) -> bool {
        let entry = self.program.thread(thread).entry;
        let edges = self.program.outgoing(entry);
        let all_commands = edges.iter().all(|&edge| {
            let edge = self.program.edge(edge);
            edge.target == entry && matches!(edge.statement, Statement::Guarded { .. })
        });
        if edges.is_empty() || !all_commands || self.mentioned.contains(&entry) {
            return false;
        }
        for &edge in edges {
            if let Statement::Guarded { guard, updates, .. } = &self.program.edge(edge).statement {
                let guard = self.terms.term(*guard);
                let effect = match updates.is_empty() {
                    true => "skip".to_owned(),
                    false => self.updates(updates),
                };
                self.line(1, &format!("{guard} -> {effect};"));
            }
        }
        true
    }

    fn statements(&mut self, thread: ThreadId) {
        let entry = self.program.thread(thread).entry;
        let mut order = self.order(entry);
        let end = self.end_of(&order);
        order.retain(|&id| {
            !self.program.is_end(id) || (Some(id) != end && self.mentioned.contains(&id))
        });
        for (position, &location) in order.iter().enumerate() {
            let next = order.get(position + 1).copied().or(end);
            self.location(location, next, end, 1);
        }
        if let Some(end) = end {
            let label = self.label(end);
            self.line(1, &format!("{label}:"));
        }
    }

    /// The locations outside of atomic sections, each behind one that leads to it where
    /// that is possible; the end comes last.
    fn order(&self, entry: LocationId) -> Vec<LocationId> {
        let mut order = Vec::new();
        let mut seen = HashSet::new();
        let mut pending = vec![entry];
        while let Some(location) = pending.pop() {
            if !seen.insert(location) {
                continue;
            }
            if !self.inside_atomic[location.index()] {
                order.push(location);
            }
            pending.extend(self.successors(location));
        }
        order
    }

    /// Where the edges lead, the location that was made first at the end.
    fn successors(&self, location: LocationId) -> Vec<LocationId> {
        let edges = self.program.outgoing(location).iter();
        let mut targets: Vec<LocationId> =
            edges.map(|&edge| self.program.edge(edge).target).collect();
        targets.sort_unstable_by(|a, b| b.cmp(a));
        targets
    }

    /// One of the locations where the thread ends; all of them are the same but for their
    /// names, so one that the error condition mentions is preferred.
    fn end_of(&self, order: &[LocationId]) -> Option<LocationId> {
        let ends = order.iter().copied().filter(|&id| self.program.is_end(id));
        ends.max_by_key(|end| self.mentioned.contains(end))
    }

    /// A location as a label, with what its edges do.
    fn location(
        &mut self,
        location: LocationId,
        next: Option<LocationId>,
        end: Option<LocationId>,
        indent: usize,
    ) {
        let label = self.label(location);
        let edges = self.program.outgoing(location).to_vec();
        match edges[..] {
            // A second place where the thread ends: like an end, it is never left.
            [] => self.line(indent, &format!("{label}: assume false;")),
            [edge] => {
                let text = self.edge(edge, next, end, indent);
                self.line(indent, &format!("{label}: {text}"));
            }
            [yes, no] if self.outcomes(yes, no).is_some() => {
                let Some((condition, negation)) = self.outcomes(yes, no) else {
                    return;
                };
                let (yes, no) = (self.program.edge(yes).target, self.program.edge(no).target);
                let text = if next == Some(yes) && yes != no {
                    let jump = self.jump(no, None, end);
                    format!("if {} {{{jump} }}", self.terms.term(negation))
                } else {
                    let condition = self.terms.term(condition);
                    let jump = self.jump(yes, None, end);
                    match self.jump(no, next, end) {
                        other if other.is_empty() => format!("if {condition} {{{jump} }}"),
                        other => format!("if {condition} {{{jump} }} else {{{other} }}"),
                    }
                };
                self.line(indent, &format!("{label}: {text}"));
            }
            _ => {
                self.line(indent, &format!("{label}: choose {{"));
                for (position, &edge) in edges.iter().enumerate() {
                    if position > 0 {
                        self.line(indent, "} or {");
                    }
                    let text = self.edge(edge, None, end, indent + 1);
                    self.line(indent + 1, &text);
                }
                self.line(indent, "}");
            }
        }
    }

    /// The condition and its negation, if the two edges are its outcomes.
    fn outcomes(&self, yes: EdgeId, no: EdgeId) -> Option<(TermId, TermId)> {
        let condition = |edge: EdgeId| match &self.program.edge(edge).statement {
            Statement::Assume(condition) => Some(*condition),
            Statement::Guarded { guard, updates, .. } if updates.is_empty() => Some(*guard),
            _ => None,
        };
        let (condition, negation) = (condition(yes)?, condition(no)?);
        self.terms
            .is_negation(condition, negation)
            .then_some((condition, negation))
    }

    /// What an edge does, and where it goes unless that is where control falls anyway.
    fn edge(
        &mut self,
        edge: EdgeId,
        falls_to: Option<LocationId>,
        end: Option<LocationId>,
        indent: usize,
    ) -> String {
        let edge = self.program.edge(edge);
        if let Statement::AtomicBegin = edge.statement {
            return self.section(edge.target, end, indent);
        }
        let statement = self.statement(&edge.statement);
        let jump = self.jump(edge.target, falls_to, end);
        format!("{statement}{jump}").trim_start().to_owned()
    }

    /// ` goto l;`, or nothing.
    fn jump(
        &self,
        target: LocationId,
        falls_to: Option<LocationId>,
        end: Option<LocationId>,
    ) -> String {
        let merged = self.program.is_end(target) && !self.mentioned.contains(&target);
        let target = if merged {
            end.unwrap_or(target)
        } else {
            target
        };
        if falls_to == Some(target) {
            return String::new();
        }
        format!(" goto {};", self.labels[&target])
    }

    /// An atomic section: its locations are a block of their own, and each way out is a
    /// jump that ends it.
    fn section(&mut self, entry: LocationId, end: Option<LocationId>, indent: usize) -> String {
        let outer = std::mem::take(&mut self.text);
        let mut order = Vec::new();
        let mut pending = vec![entry];
        while let Some(location) = pending.pop() {
            if order.contains(&location) || !self.inside_atomic[location.index()] {
                continue;
            }
            order.push(location);
            pending.extend(self.successors(location));
        }
        for (position, &location) in order.iter().enumerate() {
            let next = order.get(position + 1).copied();
            self.location(location, next, end, indent + 1);
        }
        let inner = std::mem::replace(&mut self.text, outer);
        // A second way into the section gets a copy of it, so its labels must differ.
        for location in order {
            let taken = self.taken.entry(self.program.location(location).thread);
            let copy = taken.or_default().unused(&self.labels[&location]);
            self.labels.insert(location, copy);
        }
        format!("atomic {{\n{inner}{}}}", "    ".repeat(indent))
    }

    fn statement(&mut self, statement: &Statement) -> String {
        match statement {
            Statement::Skip => "skip;".to_owned(),
            Statement::Assign { target, value } => {
                let place = self.place(*target);
                format!("{place} := {};", self.terms.term(*value))
            }
            Statement::Havoc { target } => format!("{} := *;", self.place(*target)),
            Statement::Assume(condition) => format!("assume {};", self.terms.term(*condition)),
            Statement::Assert { condition, .. } => {
                format!("assert {};", self.terms.term(*condition))
            }
            Statement::Guarded { guard, updates, .. } => {
                let guard = self.terms.term(*guard);
                match (guard.as_str(), updates.is_empty()) {
                    ("true", true) => "skip;".to_owned(),
                    (_, true) => format!("await {guard};"),
                    ("true", false) => format!("{};", self.updates(updates)),
                    (_, false) => {
                        format!("atomic {{ await {guard}; {}; }}", self.updates(updates))
                    }
                }
            }
            Statement::Create(thread) => format!("start {};", self.processes[thread]),
            Statement::Join(thread) => match self.processes.get(thread) {
                Some(name) => format!("join {name};"),
                // Nobody starts it, so it never ends.
                None => "await false;".to_owned(),
            },
            // The block ends where it is left.
            Statement::AtomicBegin | Statement::AtomicEnd => String::new(),
            Statement::BoundReached(_) => match self.program.bound {
                Some(Bound(bound)) => format!("bound {bound};"),
                None => "bound;".to_owned(),
            },
        }
    }

    fn updates(&mut self, updates: &[(Place, Update)]) -> String {
        let updates: Vec<String> = updates
            .iter()
            .map(|&(place, update)| {
                let place = self.place(place);
                match update {
                    Update::Value(value) => format!("{place} := {}", self.terms.term(value)),
                    Update::Any => format!("{place} := *"),
                }
            })
            .collect();
        updates.join(", ")
    }

    fn place(&mut self, place: Place) -> String {
        match place {
            Place::Variable(variable) => self.terms.name(variable).to_owned(),
            Place::Element(variable, index) => {
                let index = self.terms.term(index);
                format!("{}[{index}]", self.terms.name(variable))
            }
        }
    }

    fn formula(&mut self, formula: &StateFormula) -> String {
        match formula {
            StateFormula::At(thread, location) => match self.processes.get(thread) {
                Some(name) if self.printed.contains(location) => {
                    format!("pc({name}) = {}", self.labels[location])
                }
                // The thread never gets there.
                _ => "false".to_owned(),
            },
            StateFormula::Term(term) => self.global_term(*term),
            StateFormula::Not(inner) => format!("!({})", self.formula(inner)),
            StateFormula::And(parts) => self.joined(parts, " && ", "true"),
            StateFormula::Or(parts) => self.joined(parts, " || ", "false"),
        }
    }

    fn joined(&mut self, parts: &[StateFormula], operator: &str, empty: &str) -> String {
        if parts.is_empty() {
            return empty.to_owned();
        }
        let parts: Vec<String> = parts
            .iter()
            .map(|part| {
                let text = self.formula(part);
                let simple = ["&&", "||", "?"].iter().all(|word| !text.contains(word));
                if simple { text } else { format!("({text})") }
            })
            .collect();
        parts.join(operator)
    }

    /// A term that may mention the local variables of any thread.
    fn global_term(&self, term: TermId) -> String {
        let mut names = self.terms.names().to_vec();
        for id in self.program.variable_ids() {
            if let Scope::Local(thread) = self.program.variable(id).scope
                && let Some(process) = self.processes.get(&thread)
            {
                names[id.index()] = format!("{process}.{}", names[id.index()]);
            }
        }
        TermPrinter::new(&self.program.terms, names).term(term)
    }
}

fn type_name(sort: Sort) -> String {
    let scalar = |sort: Sort| match sort {
        Sort::Bool => "bool".to_owned(),
        Sort::BitVec(width) => format!("bv{width}"),
        _ => "int".to_owned(),
    };
    match sort {
        Sort::Array(array) => {
            let (element, length) = (scalar(array.element.into()), array.length);
            match Sort::from(array.index) {
                Sort::BitVec(width) => format!("{element}[{length} : bv{width}]"),
                _ => format!("{element}[{length}]"),
            }
        }
        other => scalar(other),
    }
}

pub(super) fn constant(value: Constant) -> String {
    match value {
        Constant::Bool(value) => value.to_string(),
        Constant::Int(value) => value.to_string(),
        Constant::BitVec { width, bits } => match i128::try_from(bits) {
            Ok(bits) => format!("bv{width}({bits})"),
            Err(_) => format!("bv{width}({})", bits as i128),
        },
    }
}

/// The names of all variables: shared ones differ from each other and from all local ones,
/// local ones from those of their thread.
fn variable_names(program: &Program) -> Vec<String> {
    let mut shared = Names::default();
    let mut names = vec![String::new(); program.variables.len()];
    for id in program.variable_ids() {
        if program.is_shared(id) {
            names[id.index()] = shared.unused(&program.variable(id).name);
        }
    }
    let mut local: HashMap<ThreadId, Names> = HashMap::new();
    for id in program.variable_ids() {
        if let Scope::Local(thread) = program.variable(id).scope {
            let taken = local.entry(thread).or_insert_with(|| shared.clone());
            names[id.index()] = taken.unused(&program.variable(id).name);
        }
    }
    names
}

/// Words that a name may not be.
const RESERVED: [&str; 24] = [
    "assert", "assume", "atomic", "await", "bool", "bound", "choose", "const", "else", "enum",
    "error", "false", "goto", "if", "in", "int", "join", "local", "or", "process", "shared",
    "skip", "start", "true",
];

#[derive(Clone, Default)]
struct Names(HashSet<String>);

impl Names {
    /// The name itself, if it is free.
    fn take(&mut self, name: &str) -> bool {
        self.0.insert(name.to_owned())
    }

    /// A name of letters, digits and `_` that is like the wanted one, and not taken.
    fn unused(&mut self, wanted: &str) -> String {
        let mut name = String::new();
        for character in wanted.chars() {
            match character {
                'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => name.push(character),
                ']' => {}
                _ if name.ends_with('_') => {}
                _ => name.push('_'),
            }
        }
        let reserved = RESERVED.contains(&name.as_str()) || name == "while";
        if reserved || !name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        {
            name.insert(0, '_');
        }
        if self.take(&name) {
            return name;
        }
        let mut number = 2;
        loop {
            let numbered = format!("{name}_{number}");
            if self.take(&numbered) {
                return numbered;
            }
            number += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_letters_digits_and_underscores() {
        let mut names = Names::default();
        assert_eq!(names.unused("p[1]"), "p_1");
        assert_eq!(names.unused("p[1]"), "p_1_2");
        assert_eq!(names.unused("main::x$3"), "main_x_3");
        assert_eq!(names.unused("3rd"), "_3rd");
        assert_eq!(names.unused("while"), "_while");
        assert_eq!(names.unused(""), "_");
    }
}
