//! Steps with inputs (Section 7.1): is every value accounted for?

use super::{Exactness, Question};
use crate::matching::predicates::Predicates;
use crate::matching::prover::{Found, OutOfTime, Prover};
use crate::matching::structure::Structure;
use heddle_program::{Constant, Scalar, TermId, Terms, Value};
use std::rc::Rc;

impl Exactness<'_> {
    /// Whether the abstract states that a step with inputs led to are all that it can lead to,
    /// from all concrete states and for all inputs. If not, the predicates that tell the
    /// states apart for which an input leads elsewhere.
    pub(super) fn cover(
        &mut self,
        terms: &mut Terms,
        prover: &mut Prover,
        predicates: &Predicates,
        structure: &Structure,
        hypotheses: &[TermId],
        question: &mut Question,
    ) -> Result<(), OutOfTime> {
        let kind = question.kind.clone();
        if kind.to.is_empty() {
            return Ok(());
        }
        let action = &self.actions[kind.edge.index()];
        let from = structure.valuation(kind.from);
        let mut elsewhere = hypotheses.to_vec();
        let mut affected: Vec<TermId> = Vec::new();
        for &(to, inputs) in &kind.to {
            let to = structure.valuation(to);
            let mut there = Vec::new();
            for (_, value, before) in self.effects(terms, predicates, &kind, &from, &to) {
                affected.push(before);
                there.push(if value { before } else { terms.not(before) });
            }
            // An open boolean may belong to the program counter.
            for (&choice, &input) in action
                .choices
                .iter()
                .zip(structure.inputs.get(inputs.0).iter())
            {
                if input.sort() == Scalar::Bool {
                    let (choice, input) = (terms.variable(choice), terms.constant(input));
                    there.push(terms.eq(choice, input));
                }
            }
            let there = terms.and(&there);
            elsewhere.push(terms.not(there));
        }
        let inputs = match prover.model(terms, &elsewhere, &action.choices)? {
            Found::Nothing => return Ok(()),
            Found::Unknown => {
                question.uncovered = Some(Rc::new([]));
                return Ok(());
            }
            Found::Values(values) => values,
        };
        let inputs: Vec<Constant> = inputs.iter().filter_map(Value::as_scalar).collect();
        affected.sort_unstable();
        affected.dedup();
        let mut undetermined = Vec::new();
        for before in affected {
            let before = self.with_inputs(terms, kind.edge, &inputs, before);
            let negation = terms.not(before);
            let can_fail = prover.unproved(terms, hypotheses, &[before])?;
            let can_hold = prover.unproved(terms, hypotheses, &[negation])?;
            if !can_fail.is_empty() && !can_hold.is_empty() {
                undetermined.extend(self.atoms(terms, before).iter());
            }
        }
        question.uncovered = Some(undetermined.into());
        Ok(())
    }
}
