//! Error conditions as text: SMT-LIB terms with `(at thread location)`.

use super::read::Reader;
use heddle_program::{Program, SexpId, Sexps, Sort, StateFormula, TextError, quote_symbol};

/// Conditions nested deeper are refused, as reading them would exhaust the stack.
const MAX_DEPTH: usize = 200;

pub(crate) fn to_text(
    program: &Program,
    formula: &StateFormula,
    name: &dyn Fn(heddle_program::LocationId) -> String,
) -> String {
    let all = |head: &str, parts: &[StateFormula]| {
        let parts: Vec<String> = parts
            .iter()
            .map(|part| to_text(program, part, name))
            .collect();
        match parts.is_empty() {
            true => (head == "and").to_string(),
            false => format!("({head} {})", parts.join(" ")),
        }
    };
    match formula {
        StateFormula::At(thread, location) => format!(
            "(at {} {})",
            quote_symbol(&program.thread(*thread).name),
            quote_symbol(&name(*location))
        ),
        StateFormula::Term(term) => program.terms.to_smtlib(*term),
        StateFormula::Not(inner) => format!("(not {})", to_text(program, inner, name)),
        StateFormula::And(parts) => all("and", parts),
        StateFormula::Or(parts) => all("or", parts),
    }
}

/// The formula that the text stands for.
pub(crate) fn parse(reader: &mut Reader, text: &str) -> Result<StateFormula, TextError> {
    let sexps = Sexps::read(text)?;
    let mut parser = Parser {
        reader,
        sexps: &sexps,
    };
    parser.formula(sexps.root(), 0)
}

struct Parser<'r, 's> {
    reader: &'r mut Reader,
    sexps: &'s Sexps<'s>,
}

impl Parser<'_, '_> {
    fn formula(&mut self, id: SexpId, depth: usize) -> Result<StateFormula, TextError> {
        if !self.mentions_locations(id) {
            let terms = self.reader.builder.terms();
            let term = terms.parse_sexp(self.sexps, id, Some(Sort::Bool))?;
            return Ok(StateFormula::Term(term));
        }
        if depth > MAX_DEPTH {
            return Err(self.sexps.error(id, "this condition is nested too deeply"));
        }
        let Some((head, arguments)) = self.sexps.headed(id) else {
            return Err(self.sexps.error(id, "a condition is expected here"));
        };
        match (head, arguments) {
            ("at", &[thread, location]) => self.at(thread, location),
            ("not", &[inner]) => Ok(StateFormula::Not(Box::new(self.formula(inner, depth + 1)?))),
            ("and", parts) => Ok(StateFormula::And(self.all(parts, depth)?)),
            ("or", parts) => Ok(StateFormula::Or(self.all(parts, depth)?)),
            ("=>", &[premise, conclusion]) => Ok(StateFormula::Or(vec![
                StateFormula::Not(Box::new(self.formula(premise, depth + 1)?)),
                self.formula(conclusion, depth + 1)?,
            ])),
            _ => Err(self.sexps.error(
                id,
                "`(at thread location)` stands under `and`, `or`, `not` and `=>` only",
            )),
        }
    }

    fn all(&mut self, parts: &[SexpId], depth: usize) -> Result<Vec<StateFormula>, TextError> {
        parts
            .iter()
            .map(|&part| self.formula(part, depth + 1))
            .collect()
    }

    fn at(&mut self, thread: SexpId, location: SexpId) -> Result<StateFormula, TextError> {
        let name = |id: SexpId| {
            self.sexps
                .symbol(id)
                .ok_or_else(|| self.sexps.error(id, "a name is expected here"))
        };
        let (thread_name, location_name) = (name(thread)?, name(location)?);
        let Some(thread_id) = self.reader.threads.find(thread_name) else {
            let message = format!("there is no thread `{thread_name}`");
            return Err(self.sexps.error(thread, message));
        };
        match self.reader.find_location(thread_id, location_name) {
            Some(location_id) => Ok(StateFormula::At(thread_id, location_id)),
            None => Err(self.sexps.error(
                location,
                format!("thread `{thread_name}` has no location `{location_name}`"),
            )),
        }
    }

    fn mentions_locations(&self, id: SexpId) -> bool {
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            if matches!(self.sexps.headed(id), Some(("at", _))) {
                return true;
            }
            pending.extend(self.sexps.list(id).unwrap_or_default());
        }
        false
    }
}
