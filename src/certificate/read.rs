//! The text of an invariant, back to what it means for a program.

use crate::invariant::{Cell, Invariant, Position};
use crate::write::NOT_CREATED;
use heddle_program::{
    LocationId, Program, Sexp, SexpId, Sexps, Sort, Start, TermId, Terms, TextError, ThreadId,
};

/// Reads what [`write`](crate::write()) wrote, or what a person or another tool did. All
/// mistakes are reported.
pub fn read(program: &Program, text: &str) -> Result<Invariant, Vec<TextError>> {
    let sexps = Sexps::read_all(text).map_err(|error| vec![error])?;
    let mut reader = Reader {
        program,
        sexps: &sexps,
        locations: program.location_names(),
        terms: program.terms.clone(),
    };
    let mut cells = Vec::new();
    let mut errors = Vec::new();
    for &command in sexps.list(sexps.root()).unwrap_or_default() {
        match reader.command(command) {
            Ok(cell) => cells.extend(cell),
            Err(error) => errors.push(error),
        }
    }
    match errors.is_empty() {
        true => Ok(Invariant {
            terms: reader.terms,
            cells,
        }),
        false => Err(errors),
    }
}

struct Reader<'p, 's, 't> {
    program: &'p Program,
    sexps: &'s Sexps<'t>,
    /// The name of each location, by id.
    locations: Vec<String>,
    terms: Terms,
}

impl Reader<'_, '_, '_> {
    /// The cell that the command defines, if it defines one.
    fn command(&mut self, command: SexpId) -> Result<Option<Cell>, TextError> {
        let sexps = self.sexps;
        match sexps.headed(command) {
            Some(("declare-const", &[name, sort])) => self.declaration(name, sort).map(|()| None),
            Some(("declare-fun", &[name, arguments, sort])) if self.is_empty(arguments) => {
                self.declaration(name, sort).map(|()| None)
            }
            Some(("define-fun", &[_, arguments, sort, body]))
                if self.is_empty(arguments) && sexps.symbol(sort) == Some("Bool") =>
            {
                self.cell(body).map(Some)
            }
            Some(("set-logic" | "set-info" | "set-option", _)) => Ok(None),
            _ => Err(sexps
                .error(command, "this is not part of an invariant")
                .hint(
                    "an invariant has `(declare-const x Int)` and \
                     `(define-fun name () Bool (! formula :at ((thread location …) …)))`",
                )),
        }
    }

    fn is_empty(&self, list: SexpId) -> bool {
        self.sexps.list(list).is_some_and(<[SexpId]>::is_empty)
    }

    /// A variable is the program's, and declared as there.
    fn declaration(&self, name: SexpId, sort: SexpId) -> Result<(), TextError> {
        let sexps = self.sexps;
        let Some(symbol) = sexps.symbol(name) else {
            return Err(sexps.error(name, "a name is expected here"));
        };
        let known = self.program.terms.lookup(symbol);
        let Some(variable) = known.filter(|id| id.index() < self.program.variables.len()) else {
            let error = sexps.error(name, format!("the program has no variable `{symbol}`"));
            return Err(match self.program.terms.similar_name(symbol) {
                Some(similar) => error.hint(format!("did you mean `{similar}`?")),
                None => error,
            });
        };
        let expected = self.program.variable(variable).sort;
        let length = expected.as_array().map(|array| array.length);
        let declared = Sort::parse_sexp(sexps, sort, length)?;
        match declared == expected {
            true => Ok(()),
            false => Err(sexps.error(
                sort,
                format!("`{symbol}` is of sort {expected} in the program"),
            )),
        }
    }

    /// `(! formula :at (…))`, or a formula that is said to hold everywhere.
    fn cell(&mut self, body: SexpId) -> Result<Cell, TextError> {
        let sexps = self.sexps;
        let (formula, at) = match sexps.headed(body) {
            Some(("!", [formula, attributes @ ..])) => (*formula, self.at(attributes)?),
            _ => (body, Vec::new()),
        };
        let holds = self.terms.parse_sexp(sexps, formula, Some(Sort::Bool))?;
        self.only_of_the_program(formula, holds)?;
        Ok(Cell { at, holds })
    }

    /// The places that `:at` names among the attributes. Others, such as `:named`, say nothing
    /// here.
    fn at(&self, attributes: &[SexpId]) -> Result<Vec<(ThreadId, Vec<Position>)>, TextError> {
        let sexps = self.sexps;
        let is_at = |&(_, key): &(usize, &SexpId)| matches!(sexps.get(*key), Sexp::Atom(":at"));
        let mut keys = attributes.iter().enumerate().filter(is_at);
        let Some((position, &key)) = keys.next() else {
            return Ok(Vec::new());
        };
        if let Some((_, &again)) = keys.next() {
            return Err(sexps.error(again, "the places of threads are given twice"));
        }
        match attributes.get(position + 1) {
            Some(&places) => self.places(places),
            None => Err(sexps.error(key, "the places of threads are missing")),
        }
    }

    fn only_of_the_program(&self, formula: SexpId, holds: TermId) -> Result<(), TextError> {
        let variables = self.terms.variables_of(holds);
        let strange = variables
            .into_iter()
            .find(|variable| variable.index() >= self.program.variables.len());
        match strange {
            None => Ok(()),
            Some(variable) => {
                let name = self.terms.name(variable);
                let message = format!("`{name}` is not a variable of the program");
                Err(self.sexps.error(formula, message))
            }
        }
    }

    fn places(&self, places: SexpId) -> Result<Vec<(ThreadId, Vec<Position>)>, TextError> {
        let sexps = self.sexps;
        let malformed = |id: SexpId| {
            sexps.error(
                id,
                "the places of threads are written `((thread location …) …)`",
            )
        };
        let mut at: Vec<(ThreadId, Vec<Position>)> = Vec::new();
        for &place in sexps.list(places).ok_or_else(|| malformed(places))? {
            let items = sexps.list(place).ok_or_else(|| malformed(place))?;
            let (&name, positions) = items.split_first().ok_or_else(|| malformed(place))?;
            let symbol = sexps.symbol(name).ok_or_else(|| malformed(name))?;
            let Some(thread) = self.program.find_thread(symbol) else {
                let names: Vec<&str> = self.thread_names().collect();
                return Err(sexps
                    .error(name, format!("the program has no thread `{symbol}`"))
                    .hint(format!("its threads are {}", names.join(", "))));
            };
            if at.iter().any(|(listed, _)| *listed == thread) {
                return Err(sexps.error(name, format!("`{symbol}` has a place already")));
            }
            let positions = positions.iter().map(|&id| self.position(thread, id));
            at.push((thread, positions.collect::<Result<_, _>>()?));
        }
        Ok(at)
    }

    fn thread_names(&self) -> impl Iterator<Item = &str> {
        self.program
            .threads
            .iter()
            .map(|thread| thread.name.as_str())
    }

    fn position(&self, thread: ThreadId, id: SexpId) -> Result<Position, TextError> {
        let sexps = self.sexps;
        let program = self.program;
        let Some(symbol) = sexps.symbol(id) else {
            return Err(sexps.error(id, "the name of a location is expected here"));
        };
        let created = program.thread(thread).start == Start::ByCreate;
        if symbol == NOT_CREATED && created {
            return Ok(None);
        }
        let own = program
            .location_ids()
            .filter(|&location| program.location(location).thread == thread);
        let named = own.map(|location| (location, &*self.locations[location.index()]));
        let named: Vec<(LocationId, &str)> = named.collect();
        if let Some(&(location, _)) = named.iter().find(|(_, name)| *name == symbol) {
            return Ok(Some(location));
        }
        let thread = &program.thread(thread).name;
        let names: Vec<&str> = named.into_iter().map(|(_, name)| name).collect();
        Err(sexps
            .error(id, format!("`{thread}` has no location `{symbol}`"))
            .hint(format!("its locations are {}", names.join(", "))))
    }
}
