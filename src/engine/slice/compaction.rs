//! Leaves out of a program what does nothing: skips, empty atomic sections, locations that
//! nothing leads to, and variables that were sliced away.

use super::choice::Variables;
use heddle_program::{
    Edge, EdgeId, ErrorCondition, Location, LocationId, Place, Program, Role, StateFormula,
    Statement, Term, TermId, Terms, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) struct Compacted {
    pub program: Program,
    /// By edge: which one it was.
    pub edges: Vec<EdgeId>,
    /// By variable as it was: which one it is.
    pub variables: Vec<Option<VarId>>,
}

/// The program without steps that do nothing, and with these variables only, which are all
/// that its steps and its error condition mention.
pub(crate) fn compact(mut program: Program, kept: &Variables) -> Compacted {
    let merged = Merging::new(&program).run(&mut program);
    rebuild(&program, &merged, kept)
}

/// The program with these variables only. All steps that can be reached stay.
pub(crate) fn with_variables(program: &Program, kept: &Variables) -> Compacted {
    rebuild(program, &Merging::new(program).merged, kept)
}

/// Which locations have become one, and which steps are gone.
struct Merged {
    location: Vec<LocationId>,
    gone: Vec<bool>,
}

impl Merged {
    fn outgoing(&self, program: &Program, location: LocationId) -> Vec<EdgeId> {
        let edges = program.outgoing(location).iter().copied();
        edges.filter(|edge| !self.gone[edge.index()]).collect()
    }

    fn target(&self, program: &Program, edge: EdgeId) -> LocationId {
        self.find(program.edge(edge).target)
    }

    fn find(&self, mut location: LocationId) -> LocationId {
        while self.location[location.index()] != location {
            location = self.location[location.index()];
        }
        location
    }
}

struct Merging {
    merged: Merged,
    /// Locations that the error condition mentions: being there means something.
    mentioned: FxHashSet<LocationId>,
    /// Where loops begin. Two loops must not become one, or a bound on the rounds of each
    /// would mean something else.
    heads: FxHashSet<LocationId>,
}

impl Merging {
    fn new(program: &Program) -> Self {
        Merging {
            merged: Merged {
                location: program.location_ids().collect(),
                gone: vec![false; program.edges.len()],
            },
            mentioned: program.property.locations().collect(),
            heads: loop_heads(program),
        }
    }

    fn run(mut self, program: &mut Program) -> Merged {
        loop {
            let mut changed = self.empty_sections(program);
            for location in program.location_ids() {
                changed |= self.stutter(program, location);
                changed |= self.merge(program, location);
            }
            if !changed {
                return self.merged;
            }
        }
    }

    /// An atomic section without steps is a skip.
    fn empty_sections(&mut self, program: &mut Program) -> bool {
        let mut changed = false;
        for begin in program.edge_ids() {
            if program.edge(begin).statement != Statement::AtomicBegin {
                continue;
            }
            let inside = self.merged.target(program, begin);
            if let [end] = self.merged.outgoing(program, inside)[..]
                && program.edge(end).statement == Statement::AtomicEnd
            {
                program.edges[begin.index()].statement = Statement::Skip;
                program.edges[begin.index()].target = program.edge(end).target;
                changed = true;
            }
        }
        changed
    }

    /// Skipping in place, where one can also go on, changes nothing.
    fn stutter(&mut self, program: &Program, location: LocationId) -> bool {
        let outgoing = self.merged.outgoing(program, location);
        let stutters = |edge: EdgeId| {
            program.edge(edge).statement == Statement::Skip
                && self.merged.target(program, edge) == self.merged.find(location)
        };
        if !outgoing.iter().any(|&edge| stutters(edge)) || outgoing.iter().all(|&e| stutters(e)) {
            return false;
        }
        let gone: Vec<EdgeId> = outgoing.into_iter().filter(|&e| stutters(e)).collect();
        for edge in gone {
            self.merged.gone[edge.index()] = true;
        }
        true
    }

    /// A location from which one can only skip to another is that other one.
    fn merge(&mut self, program: &Program, location: LocationId) -> bool {
        let outgoing = self.merged.outgoing(program, location);
        let Some(&first) = outgoing.first() else {
            return false;
        };
        let target = self.merged.target(program, first);
        let only_skips = outgoing.iter().all(|&edge| {
            program.edge(edge).statement == Statement::Skip
                && self.merged.target(program, edge) == target
        });
        let is_head = |location| self.heads.contains(&location);
        if !only_skips
            || target == location
            || self.mentioned.contains(&location)
            || self.mentioned.contains(&target)
            || is_head(location) && is_head(target)
        {
            return false;
        }
        if is_head(location) {
            self.heads.insert(target);
        }
        for edge in outgoing {
            self.merged.gone[edge.index()] = true;
        }
        self.merged.location[location.index()] = target;
        true
    }
}

/// The targets of steps that lead back, in a depth-first search of each thread.
fn loop_heads(program: &Program) -> FxHashSet<LocationId> {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        Not,
        Open,
        Done,
    }
    let mut visits = vec![Visit::Not; program.locations.len()];
    let mut heads = FxHashSet::default();
    for thread in &program.threads {
        // Each location with how many of its edges were followed.
        let mut path = vec![(thread.entry, 0)];
        visits[thread.entry.index()] = Visit::Open;
        while let Some((location, followed)) = path.last_mut() {
            let Some(&edge) = program.outgoing(*location).get(*followed) else {
                visits[location.index()] = Visit::Done;
                path.pop();
                continue;
            };
            *followed += 1;
            let target = program.edge(edge).target;
            match visits[target.index()] {
                Visit::Open => {
                    heads.insert(target);
                }
                Visit::Not => {
                    visits[target.index()] = Visit::Open;
                    path.push((target, 0));
                }
                Visit::Done => {}
            }
        }
    }
    heads
}

/// A copy with only what is left: numbers are given anew.
fn rebuild(program: &Program, merged: &Merged, kept: &Variables) -> Compacted {
    let mut copy = Copy {
        from: &program.terms,
        variables: vec![None; program.variables.len()],
        image: FxHashMap::default(),
        to: Program {
            assumptions: program.assumptions.clone(),
            bound: program.bound,
            sources: program.sources.clone(),
            ..Program::default()
        },
    };
    for id in program.variable_ids().filter(|id| kept.contains(id)) {
        let mut variable = program.variable(id).clone();
        let name = program.terms.name(id);
        let new = copy.to.terms.declare(name, variable.sort);
        variable.initial = variable.initial.map(|initial| copy.term(initial));
        copy.to.variables.push(variable);
        copy.variables[id.index()] = Some(new);
    }

    let mut locations: FxHashMap<LocationId, LocationId> = FxHashMap::default();
    let mut pending: Vec<LocationId> = program
        .threads
        .iter()
        .map(|thread| merged.find(thread.entry))
        .chain(program.property.locations())
        .collect();
    let mut reached: FxHashSet<LocationId> = pending.iter().copied().collect();
    while let Some(location) = pending.pop() {
        for edge in merged.outgoing(program, location) {
            let target = merged.target(program, edge);
            if reached.insert(target) {
                pending.push(target);
            }
        }
    }
    for location in program.location_ids().filter(|id| reached.contains(id)) {
        let new = LocationId::from_index(copy.to.locations.len());
        locations.insert(location, new);
        copy.to.locations.push(Location {
            outgoing: Vec::new(),
            ..program.location(location).clone()
        });
    }
    for thread in &program.threads {
        let mut thread = thread.clone();
        thread.entry = locations[&merged.find(thread.entry)];
        copy.to.threads.push(thread);
    }

    let mut edges = Vec::new();
    for id in program.edge_ids() {
        let edge = program.edge(id);
        let Some(&source) = locations.get(&edge.source) else {
            continue;
        };
        if merged.gone[id.index()] {
            continue;
        }
        let statement = copy.statement(&edge.statement);
        let new = EdgeId::from_index(copy.to.edges.len());
        copy.to.edges.push(Edge {
            source,
            target: locations[&merged.target(program, id)],
            statement,
            span: edge.span,
        });
        copy.to.locations[source.index()].outgoing.push(new);
        edges.push(id);
    }
    if let Some(error) = &program.property.error {
        copy.to.property.error = Some(ErrorCondition {
            formula: copy.formula(&error.formula, &locations),
            span: error.span,
        });
    }
    Compacted {
        program: copy.to,
        edges,
        variables: copy.variables,
    }
}

struct Copy<'a> {
    from: &'a Terms,
    variables: Vec<Option<VarId>>,
    image: FxHashMap<TermId, TermId>,
    to: Program,
}

impl Copy<'_> {
    fn variable(&self, variable: VarId) -> VarId {
        self.variables[variable.index()].expect("only kept variables are mentioned")
    }

    fn term(&mut self, root: TermId) -> TermId {
        for term in self.from.subterms(&[root]) {
            if self.image.contains_key(&term) {
                continue;
            }
            let image = match self.from.get(term) {
                Term::Constant(constant) => self.to.terms.constant(*constant),
                Term::Variable(variable) => self.to.terms.variable(self.variable(*variable)),
                Term::Apply { op, arguments } => {
                    let arguments: Vec<TermId> = arguments
                        .iter()
                        .map(|argument| self.image[argument])
                        .collect();
                    self.to.terms.apply(*op, &arguments)
                }
            };
            self.image.insert(term, image);
        }
        self.image[&root]
    }

    fn place(&self, place: Place) -> Place {
        match place {
            Place::Variable(variable) => Place::Variable(self.variable(variable)),
            Place::Element(variable, index) => Place::Element(self.variable(variable), index),
        }
    }

    fn statement(&mut self, statement: &Statement) -> Statement {
        let mut statement = statement.map_terms(|term| self.term(term));
        match &mut statement {
            Statement::Assign { target, .. } | Statement::Havoc { target } => {
                *target = self.place(*target);
            }
            Statement::Guarded { updates, role, .. } => {
                for (target, _) in updates {
                    *target = self.place(*target);
                }
                if let Role::Lock(mutex) | Role::Unlock(mutex) = role {
                    *mutex = self.place(*mutex);
                }
            }
            _ => {}
        }
        statement
    }

    fn formula(
        &mut self,
        formula: &StateFormula,
        locations: &FxHashMap<LocationId, LocationId>,
    ) -> StateFormula {
        match formula {
            StateFormula::At(thread, location) => StateFormula::At(*thread, locations[location]),
            StateFormula::Term(term) => StateFormula::Term(self.term(*term)),
            StateFormula::Not(inner) => StateFormula::Not(Box::new(self.formula(inner, locations))),
            StateFormula::And(parts) => {
                StateFormula::And(parts.iter().map(|p| self.formula(p, locations)).collect())
            }
            StateFormula::Or(parts) => {
                StateFormula::Or(parts.iter().map(|p| self.formula(p, locations)).collect())
            }
        }
    }
}
