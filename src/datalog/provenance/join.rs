//! Joins the paths of an order with what rules demand of their ends; see
//! [`super::join_plan`] for the plan.

use super::algebra::Algebra;
use super::derivation::{Derivation, Pair, Premises, Run};
use super::fixpoint::{Emission, emit};
use super::join_plan::{JoinPlan, Stop};
use super::matcher::Model;
use super::orders::{ChainId, Entry, EventId, OrderStore};
use super::plan::Step;
use super::program::{JoinId, Program};
use super::store::Store;
use super::tables::{NO_ROW, SideRow, Tables};
use crate::value::Value;
use heddle_language::ruleset::VariableId;

/// What the joins of one stratum work on.
pub(super) struct Joiner<'a, A: Algebra> {
    pub(super) program: &'a Program,
    pub(super) store: &'a Store<A::Weight>,
    pub(super) orders: &'a [OrderStore<A::Weight>],
    pub(super) algebra: &'a mut A,
    pub(super) premises: &'a mut Premises,
    pub(super) emitted: &'a mut Vec<Emission<A::Weight>>,
}

/// Which rows of the tables come together.
struct Meeting {
    site: u32,
    source: u32,
    pair: Pair,
}

impl<A: Algebra> Joiner<'_, A> {
    /// Joins a path with the sites at or behind its end, in front of `until`.
    pub(super) fn join_path(
        &mut self,
        id: JoinId,
        tables: &Tables<A::Weight>,
        entry: &Entry<A::Weight>,
        until: u32,
    ) {
        let join = &self.program.joins[id.index()];
        let orders = self.orders;
        let order = &orders[join.order.index()];
        let begins = order.path(entry.path).first;
        let ends = order.last_of(entry.path);
        let chain = order.event(ends).chain;
        if join.is_reflexive() {
            if order.event(begins).chain == chain && entry.begin >= entry.end {
                let limit = if join.is_acyclicity {
                    entry.end
                } else {
                    entry.begin
                };
                self.join_cycle(id, tables, entry, (chain, limit));
            }
            return;
        }
        let mut binding = self.binding(join);
        tables.each_site(order, chain, entry.end, until, |site, event| {
            let mut carried = Vec::new();
            order.carried(self.algebra, entry.weight, ends, event, &mut |_, weight| {
                carried.push(weight);
            });
            for weight in carried {
                let path = Some((entry, begins));
                self.join_site(id, tables, (site, event), weight, path, &mut binding);
            }
        });
    }

    /// Joins each site with the sources in front of it in its own chain.
    pub(super) fn join_chains(&mut self, id: JoinId, tables: &Tables<A::Weight>) {
        let join = &self.program.joins[id.index()];
        if join.is_reflexive() {
            return;
        }
        let orders = self.orders;
        let order = &orders[join.order.index()];
        let mut binding = self.binding(join);
        for chain in order.chain_ids() {
            tables.each_site(order, chain, 0, u32::MAX, |site, event| {
                self.join_site(id, tables, (site, event), A::NOTHING, None, &mut binding);
            });
        }
    }

    fn binding(&self, join: &JoinPlan) -> Vec<Value> {
        vec![Value::default(); self.program.clauses[join.clause.index()].variables]
    }

    /// A path that leads to or behind its beginning makes each event in between come before
    /// itself.
    fn join_cycle(
        &mut self,
        id: JoinId,
        tables: &Tables<A::Weight>,
        entry: &Entry<A::Weight>,
        (chain, limit): (ChainId, u32),
    ) {
        let join = &self.program.joins[id.index()];
        let orders = self.orders;
        let order = &orders[join.order.index()];
        let mut binding = self.binding(join);
        tables.each_site(
            order,
            chain,
            entry.end,
            limit.saturating_add(1),
            |site, event| {
                let mut ways = Vec::new();
                order.extended(self.algebra, entry, event, event, &mut |_, found| {
                    ways.push(found)
                });
                for found in ways {
                    let weight = self.algebra.pair(found.weight);
                    let meeting = Meeting {
                        site,
                        source: NO_ROW,
                        pair: found.pair,
                    };
                    binding[join.last.index()] = order.event(event).value;
                    if let Some(weight) = self.with_site(join, tables, site, weight, &mut binding) {
                        self.finish(id, meeting, weight, &mut binding);
                    }
                }
            },
        );
    }

    /// The weight with that of the site, whose values are put into the binding.
    fn with_site(
        &mut self,
        join: &JoinPlan,
        tables: &Tables<A::Weight>,
        site: u32,
        weight: A::Weight,
        binding: &mut [Value],
    ) -> Option<A::Weight> {
        let (Some(row), Some(side)) = (tables.site(site), &join.sites) else {
            return Some(weight);
        };
        fill(binding, &side.variables, &row.values);
        self.algebra.and(weight, row.weight)
    }

    /// Joins a site with the sources in front of a path's beginning, or without a path with
    /// those in front of the site in its chain. `weight` is that of the path up to the site.
    fn join_site(
        &mut self,
        id: JoinId,
        tables: &Tables<A::Weight>,
        (site, last): (u32, EventId),
        weight: A::Weight,
        path: Option<(&Entry<A::Weight>, EventId)>,
        binding: &mut [Value],
    ) {
        let join = &self.program.joins[id.index()];
        let orders = self.orders;
        let order = &orders[join.order.index()];
        binding[join.last.index()] = order.event(last).value;
        // The site's weight is part of every result, so a first look saves much work.
        if self
            .with_site(join, tables, site, weight, binding)
            .is_none()
        {
            return;
        }
        let Some(group) = tables.group(site, || key_of(&join.shared, binding)) else {
            return;
        };
        let begins = path.map_or(last, |(_, begins)| begins);
        let chain = order.event(begins).chain;
        let limit = order.event(begins).position + u32::from(path.is_some());
        let mut ways = Vec::new();
        tables.each_source(order, group, (chain, limit), |source, first| {
            ways.clear();
            match path {
                Some(_) => order.carried(self.algebra, weight, first, begins, &mut |_, whole| {
                    ways.push(whole);
                }),
                None => order.steps(self.algebra, first, last, &mut |_, step| ways.push(step)),
            }
            let mut any = false;
            for &whole in &ways {
                let pair = Pair {
                    first,
                    last,
                    path: path.map(|(entry, _)| entry.path),
                };
                let meeting = Meeting { site, source, pair };
                any |= self.meet(id, tables, meeting, whole, binding);
            }
            any && self.is_enough(join, tables, source, first)
        });
    }

    /// Whether the sources in front of this one in its chain add nothing.
    fn is_enough(
        &self,
        join: &JoinPlan,
        tables: &Tables<A::Weight>,
        source: u32,
        first: EventId,
    ) -> bool {
        let present =
            || A::CHAINS_ARE_FREE && self.orders[join.order.index()].event(first).is_certain;
        match join.stop {
            Stop::Never => false,
            Stop::AfterPresentSource => present(),
            Stop::AfterFreeSource => {
                let is_free = |row: &SideRow<A::Weight>| row.weight == A::NOTHING;
                present() && tables.source(source).is_none_or(is_free)
            }
        }
    }

    /// Puts a path between a site and a source together with their rows. Returns whether
    /// the body's tests hold.
    fn meet(
        &mut self,
        id: JoinId,
        tables: &Tables<A::Weight>,
        meeting: Meeting,
        path: A::Weight,
        binding: &mut [Value],
    ) -> bool {
        let join = &self.program.joins[id.index()];
        let order = &self.orders[join.order.index()];
        binding[join.first.index()] = order.event(meeting.pair.first).value;
        let mut weight = Some(self.algebra.pair(path));
        if let Some(row) = tables.site(meeting.site) {
            weight = weight.and_then(|weight| self.algebra.and(weight, row.weight));
        }
        if let (Some(row), Some(side)) = (tables.source(meeting.source), &join.sources) {
            fill(binding, &side.variables, &row.values);
            weight = weight.and_then(|weight| self.algebra.and(weight, row.weight));
        }
        match weight {
            Some(weight) => self.finish(id, meeting, weight, binding),
            // Of no interest, but it may still be enough.
            None => join.rest.steps.iter().all(|step| holds(step, binding)),
        }
    }

    /// Evaluates what is left of the body, and emits the head. Returns whether there was a
    /// match.
    fn finish(
        &mut self,
        id: JoinId,
        meeting: Meeting,
        weight: A::Weight,
        binding: &mut [Value],
    ) -> bool {
        let join = &self.program.joins[id.index()];
        let head = &self.program.clauses[join.clause.index()].head;
        let derivation = |others: Run| Derivation::Join {
            join: id,
            site: meeting.site,
            source: meeting.source,
            pair: meeting.pair,
            others,
        };
        let is_test = |step: &Step| matches!(step, Step::Test(..));
        if join.rest.steps.iter().all(is_test) {
            let all_hold = join.rest.steps.iter().all(|step| holds(step, binding));
            if all_hold {
                let weight = self.algebra.head(weight);
                emit(self.emitted, head, binding, weight, derivation(Run::EMPTY));
            }
            return all_hold;
        }
        let mut model = Model {
            store: self.store,
            orders: self.orders,
            algebra: self.algebra,
        };
        let (emitted, premises) = (&mut *self.emitted, &mut *self.premises);
        let mut any = false;
        model.matches(
            &join.rest,
            binding,
            weight,
            &mut Vec::new(),
            &mut |algebra, found| {
                any = true;
                let others = premises.keep(found.premises.iter().copied());
                let weight = algebra.head(found.weight);
                emit(emitted, head, found.binding, weight, derivation(others));
            },
        );
        any
    }
}

/// Whether the step is a comparison that holds.
fn holds(step: &Step, binding: &[Value]) -> bool {
    let Step::Test(comparison, left, right) = step else {
        return false;
    };
    let values = (left.value(binding), right.value(binding));
    matches!(values, (Some(left), Some(right)) if comparison.holds(left.0, right.0))
}

fn fill(binding: &mut [Value], variables: &[VariableId], values: &[Value]) {
    for (variable, &value) in variables.iter().zip(values) {
        binding[variable.index()] = value;
    }
}

fn key_of(variables: &[VariableId], binding: &[Value]) -> Box<[Value]> {
    variables
        .iter()
        .map(|variable| binding[variable.index()])
        .collect()
}
