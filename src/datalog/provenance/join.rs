//! Joins the paths of an order with what rules demand of their ends; see
//! [`super::join_plan`] for the plan.

use super::algebra::Algebra;
use super::derivation::{Derivation, Pair, Premises, Run};
use super::fixpoint::{Emission, emit};
use super::join_plan::{JoinPlan, Lead, Stop};
use super::matcher::Model;
use super::orders::{ChainId, EventId, OrderStore};
use super::paths::Entry;
use super::plan::Step;
use super::program::{JoinId, Program};
use super::resuming::RowsInCores;
use super::store::Store;
use super::tables::{NO_ROW, SideRow, Tables};
use crate::value::Value;
use heddle_language::ruleset::VariableId;
use std::ops::Range;

/// What the joins of one stratum work on.
pub(super) struct Joiner<'a, A: Algebra> {
    pub(super) program: &'a Program,
    pub(super) store: &'a Store<A::Weight>,
    pub(super) orders: &'a [OrderStore<A::Weight>],
    pub(super) algebra: &'a mut A,
    pub(super) premises: &'a mut Premises,
    pub(super) emitted: &'a mut Vec<Emission<A::Weight>>,
    /// Memory for the values of a clause's variables.
    pub(super) binding: &'a mut Vec<Value>,
}

/// Which rows of the tables come together.
struct Meeting {
    site: u32,
    source: u32,
    pair: Pair,
}

impl<A: Algebra> Joiner<'_, A> {
    /// Joins a path with the sites at or behind its end in a range of positions. `partners` are
    /// the only weights that go with the path's, if they are few.
    pub(super) fn join_path(
        &mut self,
        id: JoinId,
        tables: &Tables<A::Weight>,
        entry: &Entry<A::Weight>,
        range: Range<u32>,
        partners: Option<Range<u32>>,
    ) {
        if tables.is_empty() {
            return;
        }
        let program = self.program;
        let join = &program.joins[id.index()];
        let orders = self.orders;
        let order = &orders[join.order.index()];
        let chain = order.event(entry.last).chain;
        if join.is_reflexive() {
            // Once is enough, whatever the range.
            let is_due = range.start == entry.end;
            if is_due && entry.from == chain && entry.begin >= entry.end {
                let limit = if join.is_acyclicity {
                    entry.end
                } else {
                    entry.begin
                };
                self.join_cycle(id, tables, entry, (chain, limit));
            }
            return;
        }
        let mut binding = self.take_binding(join);
        let is_certain = |event: EventId| order.event(event).is_certain;
        match (&tables.stretches, join.lead) {
            (Some(stretches), Lead::FromSource(_)) if is_certain(entry.first) => {
                for source in stretches.across(entry.from, entry.begin) {
                    self.join_source(id, tables, source, entry, range.clone(), &mut binding);
                }
            }
            (Some(stretches), Lead::FromSite(_)) if is_certain(entry.last) => {
                for site in stretches.back_across(chain, entry.end, range) {
                    if let Some(row) = tables.site(site) {
                        self.join_path_at(id, tables, entry, (site, row.event), &mut binding);
                    }
                }
            }
            _ => self.join_rows_of_path(id, tables, entry, range, partners, &mut binding),
        }
        *self.binding = binding;
    }

    /// Joins a path with whatever lies in front of it and behind it.
    fn join_rows_of_path(
        &mut self,
        id: JoinId,
        tables: &Tables<A::Weight>,
        entry: &Entry<A::Weight>,
        range: Range<u32>,
        partners: Option<Range<u32>>,
        binding: &mut [Value],
    ) {
        let orders = self.orders;
        let order = &orders[self.program.joins[id.index()].order.index()];
        let chain = order.event(entry.last).chain;
        match partners {
            Some(partners) if tables.sources_rest_on_literals() => {
                for partner in partners {
                    let weight = self.algebra.part(partner);
                    let limit = (entry.from, entry.begin + 1);
                    tables.each_source_by(weight, limit, |source, group| {
                        tables.each_site_in(group, chain, range.clone(), |site| {
                            self.join_rows(id, tables, (site, source), entry, binding);
                        });
                    });
                }
            }
            Some(partners) if tables.has_sites() => {
                for partner in partners {
                    let weight = self.algebra.part(partner);
                    tables.each_site_by(weight, chain, range.clone(), |site, event| {
                        self.join_path_at(id, tables, entry, (site, event), binding);
                    });
                }
            }
            None if tables.has_sites() => {
                let (here, behind) = split(range, entry.end + 1);
                let choice = self.algebra.choice(entry.weight);
                let mut join_here = |site, event| {
                    self.join_path_at(id, tables, entry, (site, event), binding);
                };
                // Other possibilities of the same choice do not go with the path.
                match choice.is_some() && choice == tables.choice_at(entry.last) {
                    true => tables.each_site_by(entry.weight, chain, here, &mut join_here),
                    false => tables.each_site(order, chain, here, &mut join_here),
                }
                tables.each_site_behind(entry.weight, chain, behind, |site, event| {
                    self.join_path_at(id, tables, entry, (site, event), binding);
                });
            }
            _ => tables.each_site(order, chain, range, |site, event| {
                self.join_path_at(id, tables, entry, (site, event), binding);
            }),
        }
    }

    /// Joins a path with these rows, as far as they lie in front of it and behind it.
    pub(super) fn join_path_with(
        &mut self,
        id: JoinId,
        tables: &Tables<A::Weight>,
        entry: &Entry<A::Weight>,
        rows: &RowsInCores,
    ) {
        let program = self.program;
        let join = &program.joins[id.index()];
        let orders = self.orders;
        let chain = orders[join.order.index()].event(entry.last).chain;
        let behind = entry.end..u32::MAX;
        let mut binding = self.take_binding(join);
        for source in tables.sources_among(rows.sources_of(entry.from), 0..entry.begin + 1) {
            for site in tables.sites_with(source, chain, behind.clone()) {
                self.join_rows(id, tables, (site, source), entry, &mut binding);
            }
        }
        tables.each_site_among(rows.sites_of(chain), behind, |site, event| {
            self.join_path_at(id, tables, entry, (site, event), &mut binding);
        });
        *self.binding = binding;
    }

    /// Joins a path with a source in front of it, which leads behind its beginning, and with the
    /// sites behind its end, up to one from where chain steps lead to the others.
    fn join_source(
        &mut self,
        id: JoinId,
        tables: &Tables<A::Weight>,
        source: u32,
        entry: &Entry<A::Weight>,
        range: Range<u32>,
        binding: &mut [Value],
    ) {
        let program = self.program;
        let join = &program.joins[id.index()];
        let orders = self.orders;
        let order = &orders[join.order.index()];
        let chain = order.event(entry.last).chain;
        let is_free = |row: &SideRow<A::Weight>| {
            row.weight == A::NOTHING && order.event(row.event).is_certain
        };
        for site in tables.sites_with(source, chain, range) {
            if self.join_rows(id, tables, (site, source), entry, binding)
                && join.ends_in_tests()
                && tables.site(site).is_some_and(is_free)
            {
                return;
            }
        }
    }

    /// Joins a path with a site at or behind its end.
    fn join_path_at(
        &mut self,
        id: JoinId,
        tables: &Tables<A::Weight>,
        entry: &Entry<A::Weight>,
        (site, event): (u32, EventId),
        binding: &mut [Value],
    ) {
        let orders = self.orders;
        let order = &orders[self.program.joins[id.index()].order.index()];
        // Most sites are told apart by this, before anything is combined.
        let known = [entry.weight, tables.site_weight(site, A::NOTHING)];
        if event != entry.last && !order.can_step(self.algebra, event, known, A::NOTHING) {
            return;
        }
        for weight in order.carried(self.algebra, entry.weight, entry.last, event) {
            self.join_site(id, tables, (site, event), weight, Some(entry), binding);
        }
    }

    /// Joins a path with one site and one source. Returns whether the body's tests hold.
    fn join_rows(
        &mut self,
        id: JoinId,
        tables: &Tables<A::Weight>,
        (site, source): (u32, u32),
        entry: &Entry<A::Weight>,
        binding: &mut [Value],
    ) -> bool {
        let program = self.program;
        let join = &program.joins[id.index()];
        let orders = self.orders;
        let order = &orders[join.order.index()];
        let rows = (tables.site(site), tables.source(source), &join.sites);
        let (Some(at_site), Some(at_source), Some(side)) = rows else {
            return false;
        };
        let (first, last) = (at_source.event, at_site.event);
        let mut any = false;
        for whole in order.extended(self.algebra, entry, first, last) {
            binding[join.last.index()] = order.event(last).value;
            fill(binding, &side.variables, &at_site.values);
            let pair = Pair {
                first,
                last,
                path: Some(entry.path),
            };
            let meeting = Meeting { site, source, pair };
            any |= self.meet(id, tables, meeting, whole, binding);
        }
        any
    }

    /// Joins each site with the sources in front of it in its own chain.
    pub(super) fn join_chains(&mut self, id: JoinId, tables: &Tables<A::Weight>) {
        let program = self.program;
        let join = &program.joins[id.index()];
        if join.is_reflexive() {
            return;
        }
        let orders = self.orders;
        let order = &orders[join.order.index()];
        let mut binding = self.take_binding(join);
        for chain in order.chain_ids() {
            tables.each_site(order, chain, 0..u32::MAX, |site, event| {
                self.join_site(id, tables, (site, event), A::NOTHING, None, &mut binding);
            });
        }
        *self.binding = binding;
    }

    /// To be given back to `self.binding`.
    fn take_binding(&mut self, join: &JoinPlan) -> Vec<Value> {
        let mut binding = std::mem::take(self.binding);
        let variables = self.program.clauses[join.clause.index()].variables;
        binding.resize(variables, Value::default());
        binding
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
        let program = self.program;
        let join = &program.joins[id.index()];
        let orders = self.orders;
        let order = &orders[join.order.index()];
        let mut binding = self.take_binding(join);
        tables.each_site(order, chain, entry.end..limit + 1, |site, event| {
            for weight in order.extended(self.algebra, entry, event, event) {
                let weight = self.algebra.pair(weight);
                let pair = Pair {
                    first: event,
                    last: event,
                    path: Some(entry.path),
                };
                let meeting = Meeting {
                    site,
                    source: NO_ROW,
                    pair,
                };
                binding[join.last.index()] = order.event(event).value;
                let weight = match (tables.site(site), &join.sites) {
                    (Some(row), Some(side)) => {
                        fill(&mut binding, &side.variables, &row.values);
                        self.algebra.and(weight, row.weight)
                    }
                    _ => Some(weight),
                };
                if let Some(weight) = weight {
                    self.finish(id, meeting, weight, &mut binding);
                }
            }
        });
        *self.binding = binding;
    }

    /// Joins a site with the sources in front of a path's beginning, or without a path with
    /// those in front of the site in its chain. `weight` is that of the path up to the site.
    fn join_site(
        &mut self,
        id: JoinId,
        tables: &Tables<A::Weight>,
        (site, last): (u32, EventId),
        weight: A::Weight,
        path: Option<&Entry<A::Weight>>,
        binding: &mut [Value],
    ) {
        let program = self.program;
        let join = &program.joins[id.index()];
        let orders = self.orders;
        let order = &orders[join.order.index()];
        binding[join.last.index()] = order.event(last).value;
        if let (Some(row), Some(side)) = (tables.site(site), &join.sites) {
            // The site's weight is part of every result.
            if !self.algebra.may_fit([weight, row.weight]) {
                return;
            }
            fill(binding, &side.variables, &row.values);
        }
        let Some(group) = tables.group(site, || key_of(&join.shared, binding)) else {
            return;
        };
        let begins = path.map_or(last, |entry| entry.first);
        let chain = order.event(begins).chain;
        let position = order.event(begins).position;
        let limit = position + u32::from(path.is_some());
        // A chain step from a source takes the presence of where it leads to.
        let known = match path {
            Some(_) => [weight, tables.site_weight(site, A::NOTHING)],
            None => {
                let presence = order.presence_at_least::<A>(last);
                [presence, tables.site_weight(site, A::NOTHING)]
            }
        };
        let range = match order.can_step(self.algebra, begins, known, A::NOTHING) {
            true => 0..limit,
            false => position..limit,
        };
        let mut join_source = |joiner: &mut Self, source: u32, first: EventId| {
            let weight_there = tables.source_weight(source, A::NOTHING);
            if first != begins && !order.can_step(joiner.algebra, first, known, weight_there) {
                return false;
            }
            let ways = match path {
                Some(_) => order.carried(joiner.algebra, weight, first, begins),
                None => order.steps(joiner.algebra, first, last),
            };
            let mut any = false;
            for whole in ways {
                let pair = Pair {
                    first,
                    last,
                    path: path.map(|entry| entry.path),
                };
                let meeting = Meeting { site, source, pair };
                any |= joiner.meet(id, tables, meeting, whole, binding);
            }
            any && joiner.is_enough(join, tables, source, first)
        };
        match self.only_sources(tables, known) {
            Some(weights) => {
                for weight in weights {
                    let weight = self.algebra.part(weight);
                    tables.each_source_by(weight, (chain, limit), |source, of| {
                        let row = tables
                            .source(source)
                            .filter(|row| range.contains(&row.position));
                        if let Some(row) = row
                            && of == group
                        {
                            join_source(self, source, row.event);
                        }
                    });
                }
            }
            None => tables.each_source(order, group, (chain, range), |source, first| {
                join_source(self, source, first)
            }),
        }
    }

    /// The only weights of sources that go with these together, if they are few.
    fn only_sources(
        &mut self,
        tables: &Tables<A::Weight>,
        [one, other]: [A::Weight; 2],
    ) -> Option<Range<u32>> {
        if !tables.sources_rest_on_literals() {
            return None;
        }
        let both = self.algebra.and(one, other)?;
        match self.algebra.is_full(both) {
            true => self.algebra.parts(both),
            false => None,
        }
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
            _ if A::IS_COST => join.last_suffices && present(),
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
        let program = self.program;
        let join = &program.joins[id.index()];
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
        let program = self.program;
        let join = &program.joins[id.index()];
        let head = &self.program.clauses[join.clause.index()].head;
        let derivation = |others: Run| Derivation::Join {
            join: id,
            site: meeting.site,
            source: meeting.source,
            pair: meeting.pair,
            others,
        };
        if join.ends_in_tests() {
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

/// A range in two parts: what lies before a position, and what does not.
fn split(range: Range<u32>, at: u32) -> (Range<u32>, Range<u32>) {
    (
        range.start..range.end.min(at),
        range.start.max(at)..range.end,
    )
}

/// Whether the step is a comparison that holds.
pub(super) fn holds(step: &Step, binding: &[Value]) -> bool {
    let Step::Test(comparison, left, right) = step else {
        return false;
    };
    let values = (left.value(binding), right.value(binding));
    matches!(values, (Some(left), Some(right)) if comparison.holds(left.0, right.0))
}

pub(super) fn fill(binding: &mut [Value], variables: &[VariableId], values: &[Value]) {
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
