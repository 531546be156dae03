//! What a stratum needs before its rules can fire: the places of events in chains, their
//! presence, and the tables of joins.

use super::algebra::Algebra;
use super::fixpoint::Fixpoint;
use super::join_plan::Side;
use super::matcher::Model;
use super::orders::Presence;
use super::program::{JoinId, OrderId};
use super::start::Phase;
use super::store::{ItemId, StoreMark, TupleId};
use super::tables::SideRow;
use crate::backend::SettleError;
use crate::value::Value;
use heddle_language::ruleset::{RelationId, VariableId};
use rustc_hash::FxHashSet;

impl<A: Algebra> Fixpoint<A> {
    /// Cuts the events of the stratum's orders into chains.
    pub(super) fn place_events(&mut self, stratum: usize) -> Result<(), SettleError> {
        let program = self.program.clone();
        for &order in &program.strata[stratum].orders {
            self.make_chains(order)?;
        }
        Ok(())
    }

    fn make_chains(&mut self, order: OrderId) -> Result<(), SettleError> {
        let program = self.program.clone();
        let declaration = program.orders[order.index()].declaration;
        let places = self.places(declaration.event)?;
        for chain in places.chunk_by(|one, other| one.chain == other.chain) {
            let values = chain.iter().map(|place| place.event);
            self.orders[order.index()].add_chain(values);
        }
        for place in &places {
            let items: Vec<ItemId> = self
                .store
                .items(declaration.event, place.tuple)
                .map(|(item, _)| item)
                .collect();
            let event = self.orders[order.index()].event_of(place.event);
            self.orders[order.index()].set_place(event, items[0]);
            for item in items {
                match declaration.executed {
                    None => self.add_presence(order, place.event, item, None),
                    Some(relation) => {
                        for executed in self.items_of(relation, place.event) {
                            self.add_presence(order, place.event, item, Some(executed));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The tuples of an `event` relation, sorted by chain and index.
    fn places(&self, relation: RelationId) -> Result<Vec<Place>, SettleError> {
        let tuples = self.store.tuples(relation);
        let mut places: Vec<Place> = (0..tuples.len() as u32)
            .map(|tuple| {
                let tuple = TupleId(tuple);
                let row = tuples.row(tuple);
                Place {
                    chain: row[1],
                    index: row[2].0,
                    event: row[0],
                    tuple,
                }
            })
            .collect();
        places.sort_unstable_by_key(|place| (place.chain, place.index, place.event));
        let mut seen = FxHashSet::default();
        if let Some(place) = places.iter().find(|place| !seen.insert(place.event)) {
            return Err(SettleError::SeveralPlaces {
                event_relation: relation,
                event: place.event,
            });
        }
        let shared = places
            .windows(2)
            .find(|pair| (pair[0].chain, pair[0].index) == (pair[1].chain, pair[1].index));
        match shared {
            None => Ok(places),
            Some(pair) => Err(SettleError::SharedPlace {
                event_relation: relation,
                first: pair[0].event,
                second: pair[1].event,
                chain: pair[0].chain,
                index: pair[0].index,
            }),
        }
    }

    fn items_of(&self, relation: RelationId, event: Value) -> Vec<ItemId> {
        match self.store.tuples(relation).find(&[event]) {
            None => Vec::new(),
            Some(tuple) => self
                .store
                .items(relation, tuple)
                .map(|(item, _)| item)
                .collect(),
        }
    }

    /// Adds the presences that the items since the mark give; returns whether there are
    /// any. The places of events do not change.
    pub(super) fn add_presences(&mut self, order: OrderId, mark: &StoreMark) -> bool {
        let program = self.program.clone();
        let Some(executed) = program.orders[order.index()].declaration.executed else {
            return false;
        };
        let mut any = false;
        for item in self.store.items_since(mark) {
            if self.store.item(item).relation != executed {
                continue;
            }
            let value = self.store.row(item)[0];
            let store = &self.orders[order.index()];
            let place = store.find(value).and_then(|event| store.event(event).place);
            if let Some(place) = place {
                self.add_presence(order, value, place, Some(item));
                any = true;
            }
        }
        any
    }

    fn add_presence(
        &mut self,
        order: OrderId,
        event: Value,
        place: ItemId,
        executed: Option<ItemId>,
    ) {
        let mut weight = Some(self.store.item(place).weight);
        if let Some(executed) = executed {
            let executed = self.store.item(executed).weight;
            weight = weight.and_then(|weight| self.algebra.and(weight, executed));
        }
        let Some(weight) = weight else { return };
        let store = &mut self.orders[order.index()];
        let event = store.event_of(event);
        let covered = |known: &Presence<A::Weight>| self.algebra.covers(known.weight, weight);
        if !store.event(event).presence.iter().any(covered) {
            let presence = Presence {
                weight,
                event: place,
                executed,
            };
            store.add_presence(event, presence, self.algebra.is_certain(weight));
        }
    }

    /// Makes the tables of a join: all of them, or those that rest on literals, and those that were
    /// made after the mark before. Returns whether they have rows that were not there up to the mark.
    pub(super) fn tabulate(&mut self, id: JoinId, phase: Phase) -> bool {
        let program = self.program.clone();
        let join = &program.joins[id.index()];
        let variables = program.clauses[join.clause.index()].variables;
        let has_news = |side: &Side| match phase {
            Phase::First => true,
            Phase::Then(mark) => self.has_any_since(&side.conditional, &mark.store),
        };
        let [sites_news, sources_news] =
            [&join.sites, &join.sources].map(|side| side.as_ref().is_some_and(has_news));
        let is_news = matches!(phase, Phase::First) || sites_news || sources_news;
        let are_passing = self.tables[id.index()].are_passing;
        let is_due =
            |side: &&Side, has_news: bool| has_news || are_passing && !side.conditional.is_empty();
        let sites = join.sites.as_ref().filter(|side| is_due(side, sites_news));
        let sources = join
            .sources
            .as_ref()
            .filter(|side| is_due(side, sources_news));
        // The order may have been derived in an earlier stratum.
        let has_presences = match phase {
            Phase::First => false,
            Phase::Then(mark) => {
                let order = join.order.index();
                self.orders[order].has_presences_since(&mark.orders[order])
            }
        };
        let knew_presences = self.tables[id.index()].know_presences;
        let is_any_due = sites.is_some() || sources.is_some();
        if !is_any_due && !has_presences && !knew_presences {
            return is_news;
        }
        let key = |side: &Option<Side>| {
            let side = side.as_ref().map_or(&[][..], |side| &side.variables);
            let place = |shared: &VariableId| side.iter().position(|each| each == shared);
            let places: Vec<usize> = join.shared.iter().filter_map(place).collect();
            move |row: &SideRow<A::Weight>| -> Box<[Value]> {
                places.iter().map(|&place| row.values[place]).collect()
            }
        };
        if let Some(side) = sites {
            let rows = self.side_rows(join.order, side, variables);
            self.tables[id.index()].set_sites(rows, key(&join.sites), A::NOTHING);
        }
        if let Some(side) = sources {
            let rows = self.side_rows(join.order, side, variables);
            let order = &self.orders[join.order.index()];
            self.tables[id.index()].set_sources(order, rows, key(&join.sources), A::NOTHING);
        }
        let order = &self.orders[join.order.index()];
        let tables = &mut self.tables[id.index()];
        tables.link(order, &mut self.algebra);
        if A::CHAINS_ARE_FREE {
            tables.find_stretches(order, join.lead);
        }
        tables.know_presences = has_presences;
        tables.are_passing = matches!(phase, Phase::Then(_)) && is_any_due;
        is_news
    }

    /// Whether one of the relations has tuples that were not there up to the mark. What is known of
    /// orders is not that simple.
    fn has_any_since(&self, relations: &[RelationId], mark: &StoreMark) -> bool {
        let is_order = |relation: &RelationId| self.program.order_of[relation.index()].is_some();
        let mut items = self.store.items_since(mark);
        relations.iter().any(is_order)
            || items.any(|item| relations.contains(&self.store.item(item).relation))
    }

    fn side_rows(
        &mut self,
        order: OrderId,
        side: &Side,
        variables: usize,
    ) -> Vec<SideRow<A::Weight>> {
        let mut model = Model {
            store: &self.store,
            orders: &self.orders,
            algebra: &mut self.algebra,
        };
        let premises = &mut self.premises;
        let mut binding = vec![Value::default(); variables];
        let mut found = Vec::new();
        model.matches(
            &side.plan,
            &mut binding,
            A::NOTHING,
            &mut Vec::new(),
            &mut |_, way| {
                let values: Box<[Value]> = side
                    .variables
                    .iter()
                    .map(|variable| way.binding[variable.index()])
                    .collect();
                found.push((
                    values,
                    way.weight,
                    premises.keep(way.premises.iter().copied()),
                ));
            },
        );
        let store = &mut self.orders[order.index()];
        let row = |(values, weight, premises): (Box<[Value]>, A::Weight, _)| {
            let event = store.event_of(values[0]);
            SideRow {
                event,
                position: store.event(event).position,
                values,
                weight,
                premises,
            }
        };
        found.into_iter().map(row).collect()
    }
}

/// A tuple of an `event` relation.
struct Place {
    chain: Value,
    index: i64,
    event: Value,
    tuple: TupleId,
}
