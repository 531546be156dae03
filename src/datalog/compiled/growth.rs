//! An `order` relation inside an `ascent` program.
//!
//! For `ascent` it is a relation with one column, [`Growth`], kept in a data structure of
//! our own (`#[ds(…)]`). Heads insert edges. Between two rounds of `ascent`'s evaluation the
//! edges go into the [`Clocks`], which are closed under transitivity and the chains, and
//! bodies see what rose: one row for each event with new events before it. So a round of
//! rules starts from a closed order, and the closure costs no rows.
//!
//! Only the last round's growth can be iterated. A rule that starts elsewhere asks the
//! [`Order`] itself, which is always up to date.

use super::chains::{Chains, Node};
use super::clocks::Clocks;
use super::risen::{Additions, Floor, Risen};
use super::seek::Seek;
use crate::backend::SettleError;
use ascent::internal::{
    RelFullIndexRead, RelFullIndexWrite, RelIndexMerge, RelIndexRead, RelIndexWrite, ToRelIndex,
};
use heddle_language::ruleset::RelationId;
use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// One order relation: its chains and its clocks.
#[derive(Clone, Debug)]
pub struct Order(Rc<RefCell<Clocks>>);

impl Order {
    /// From the rows (event, chain, index) of its `event` relation; without `executed` all
    /// events count.
    pub fn new(
        event_relation: RelationId,
        events: &[(i64, i64, i64)],
        executed: Option<&[(i64,)]>,
    ) -> Result<Self, SettleError> {
        let chains = Chains::new(event_relation, events, executed)?;
        Ok(Order(Rc::new(RefCell::new(Clocks::new(chains)))))
    }

    /// What the relation starts with: the order itself, and the edges that are facts.
    pub fn rows(&self, edges: &[(i64, i64)]) -> Rows {
        let start = Growth(Kind::Start(self.clone()));
        let edges = edges.iter().map(|&(a, b)| Growth::edge(a, b));
        Rows(
            std::iter::once(start)
                .chain(edges)
                .map(|row| (row,))
                .collect(),
        )
    }

    /// Adds edges outside of any rule.
    pub fn extend(&self, edges: &[(i64, i64)]) {
        let mut clocks = self.0.borrow_mut();
        let edges: Vec<(Node, Node)> = edges
            .iter()
            .map(|&(a, b)| (clocks.enter(a), clocks.enter(b)))
            .collect();
        clocks.add(&edges);
    }

    /// A table of events of this order, by a key.
    pub fn seek<K: Eq + Hash>(&self, rows: impl Iterator<Item = (i64, K)>) -> Seek<K> {
        Seek::new(self.0.borrow().chains(), rows)
    }

    /// The clocks, once no rule uses the order any more.
    pub(super) fn into_clocks(self) -> Clocks {
        match Rc::try_unwrap(self.0) {
            Ok(clocks) => clocks.into_inner(),
            Err(_) => unreachable!("the programs that used the order are done"),
        }
    }

    /// The edge as nodes, unless it holds already.
    fn news(&self, a: i64, b: i64) -> Option<(Node, Node)> {
        let mut clocks = self.0.borrow_mut();
        let (a, b) = (clocks.enter(a), clocks.enter(b));
        (!clocks.is_before(a, b)).then_some((a, b))
    }
}

/// Queries.
impl Order {
    pub fn holds(&self, a: i64, b: i64) -> bool {
        self.0.borrow().holds(a, b)
    }

    pub fn before(&self, b: i64) -> Vec<i64> {
        self.0.borrow().before(b)
    }

    pub fn after(&self, a: i64) -> Vec<i64> {
        self.0.borrow().after(a)
    }

    pub fn has_before(&self, b: i64) -> bool {
        !self.before(b).is_empty()
    }

    pub fn has_after(&self, a: i64) -> bool {
        !self.after(a).is_empty()
    }

    pub fn pairs(&self) -> Vec<(i64, i64)> {
        self.0.borrow().pairs().collect()
    }

    pub fn is_inhabited(&self) -> bool {
        self.0.borrow().pairs().next().is_some()
    }

    /// The events that are before themselves.
    pub fn on_cycles(&self) -> Vec<i64> {
        self.0.borrow().on_cycles().collect()
    }
}

/// A row of an order relation: an edge that a head adds, or an event whose clock rose.
#[derive(Clone, Debug)]
pub struct Growth(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Start(Order),
    Edge(i64, i64),
    Rise { risen: Rc<Risen>, slot: u32 },
}

impl Growth {
    pub fn edge(a: i64, b: i64) -> Self {
        Growth(Kind::Edge(a, b))
    }

    fn rise(&self) -> (&Risen, usize) {
        match &self.0 {
            Kind::Rise { risen, slot } => (risen, *slot as usize),
            Kind::Start(_) | Kind::Edge(..) => unreachable!("bodies only see what rose"),
        }
    }

    /// The event whose clock rose.
    pub fn event(&self) -> i64 {
        let (risen, slot) = self.rise();
        risen.events[slot]
    }

    /// The events that come on top of those before this one.
    fn additions(&self, floor: Option<Floor>) -> Additions<'_> {
        let (risen, slot) = self.rise();
        Additions::new(risen, slot, floor)
    }

    pub fn all(&self) -> Vec<i64> {
        self.additions(None).all().collect()
    }

    /// Those of a key.
    pub fn all_of<K: Eq + Hash>(&self, table: &Seek<K>, key: K) -> Vec<i64> {
        self.additions(None).all_of(table, key).collect()
    }

    /// Whether there are any.
    pub fn adds_any(&self) -> bool {
        self.additions(None).all().next().is_some()
    }

    /// Whether `a` is one of them.
    pub fn adds(&self, a: i64) -> bool {
        let (risen, slot) = self.rise();
        risen.adds(slot, a)
    }

    /// Of those, in each chain the last one of the key that is `accepted`. In the chain of
    /// the event itself: the last one in front of it, and the last one from it onwards.
    pub fn last<'a, K: Eq + Hash + 'a>(
        &'a self,
        table: &'a Seek<K>,
        key: K,
        accepted: impl Fn(i64) -> bool + Copy + 'a,
    ) -> impl Iterator<Item = i64> + 'a {
        let (risen, slot) = self.rise();
        let segments = table.segments(&key).iter().flat_map(move |&segment| {
            let nodes = table.nodes(segment);
            risen
                .stretches(slot, segment.chain)
                .into_iter()
                .filter_map(move |stretch| {
                    let end = nodes.partition_point(|&node| node < stretch.end);
                    let inside = nodes[..end].iter().rev();
                    risen.first_accepted(
                        inside.copied().take_while(|&node| node >= stretch.start),
                        accepted,
                    )
                })
        });
        let loose = risen.loose(slot).iter().copied();
        segments.chain(loose.filter(move |&event| table.has_loose(&key, event) && accepted(event)))
    }

    /// The same without a key.
    pub fn last_of_all<'a>(
        &'a self,
        accepted: impl Fn(i64) -> bool + Copy + 'a,
    ) -> impl Iterator<Item = i64> + 'a {
        let (risen, slot) = self.rise();
        let in_chains = risen.chains.all().flat_map(move |chain| {
            let stretches = risen.stretches(slot, chain).into_iter();
            stretches.filter_map(move |stretch| risen.first_accepted(stretch.rev(), accepted))
        });
        let loose = risen.loose(slot).iter().copied();
        in_chains.chain(loose.filter(move |&event| accepted(event)))
    }

    /// Those that are not also before the previous event of the key in this event's chain
    /// that is `accepted`.
    pub fn first<K: Eq + Hash>(
        &self,
        order: &Order,
        table: &Seek<K>,
        key: K,
        accepted: impl Fn(i64) -> bool,
    ) -> Additions<'_> {
        let (risen, slot) = self.rise();
        let node = risen.nodes[slot];
        let segment = table
            .segments(&key)
            .iter()
            .find(|segment| Some(segment.chain) == risen.chains.chain(node));
        let previous = segment.and_then(|&segment| {
            let nodes = table.nodes(segment);
            let end = nodes.partition_point(|&other| other < node.0);
            risen.first_accepted(nodes[..end].iter().rev().copied(), accepted)
        });
        self.additions(previous.map(|previous| order.floor(previous)))
    }

    /// The same without a key.
    pub fn first_of_all(&self, order: &Order, accepted: impl Fn(i64) -> bool) -> Additions<'_> {
        let (risen, slot) = self.rise();
        let node = risen.nodes[slot];
        let previous = risen.chains.chain(node).and_then(|chain| {
            let earlier = risen.chains.start(chain)..node.0;
            risen.first_accepted(earlier.rev(), accepted)
        });
        self.additions(previous.map(|previous| order.floor(previous)))
    }
}

impl Order {
    fn floor(&self, event: i64) -> Floor {
        self.0.borrow().floor(event)
    }
}

impl PartialEq for Growth {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Kind::Edge(a, b), Kind::Edge(c, d)) => (a, b) == (c, d),
            _ => std::ptr::eq(self, other),
        }
    }
}

impl Eq for Growth {}

impl Hash for Growth {
    fn hash<H: Hasher>(&self, state: &mut H) {
        if let Kind::Edge(a, b) = self.0 {
            (a, b).hash(state);
        }
    }
}

/// One version (new, delta or total) of an order relation in `ascent`'s evaluation.
#[derive(Default)]
pub struct Version {
    order: Option<Order>,
    /// Edges that are not in the order yet.
    edges: Vec<(Node, Node)>,
    rises: Vec<(Growth,)>,
}

impl Version {
    fn insert(&mut self, row: &Growth) -> bool {
        match &row.0 {
            Kind::Start(order) => self.order = Some(order.clone()),
            Kind::Edge(a, b) => {
                let order = self.order.as_ref().expect("an order starts with itself");
                match order.news(*a, *b) {
                    Some(edge) => self.edges.push(edge),
                    None => return false,
                }
            }
            Kind::Rise { .. } => unreachable!("heads only insert edges"),
        }
        true
    }

    fn set_rises(&mut self, risen: Risen) {
        let risen = Rc::new(risen);
        self.rises.clear();
        self.rises.extend((0..risen.nodes.len() as u32).map(|slot| {
            (Growth(Kind::Rise {
                risen: risen.clone(),
                slot,
            }),)
        }));
    }
}

impl RelIndexMerge for Version {
    fn move_index_contents(_from: &mut Self, _to: &mut Self) {}

    fn init(new: &mut Self, delta: &mut Self, total: &mut Self) {
        let order = delta.order.clone().expect("an order starts with itself");
        let mut clocks = order.0.borrow_mut();
        clocks.add(&std::mem::take(&mut delta.edges));
        delta.set_rises(clocks.all_risen());
        drop(clocks);
        new.order = Some(order.clone());
        total.order = Some(order);
    }

    fn merge_delta_to_total_new_to_delta(new: &mut Self, delta: &mut Self, _total: &mut Self) {
        let edges = std::mem::take(&mut new.edges);
        if edges.is_empty() {
            delta.rises.clear();
        } else if let Some(order) = &new.order {
            let risen = order.0.borrow_mut().add(&edges);
            delta.set_rises(risen);
        }
    }
}

/// The index over all columns: what heads insert through.
#[derive(Default)]
pub struct Full;

/// The index over no column: what bodies iterate.
#[derive(Default)]
pub struct Rises;

impl ToRelIndex<Version> for Full {
    type RelIndex<'a> = &'a Version;
    fn to_rel_index<'a>(&'a self, version: &'a Version) -> &'a Version {
        version
    }

    type RelIndexWrite<'a> = FullWrite<'a>;
    fn to_rel_index_write<'a>(&'a mut self, version: &'a mut Version) -> FullWrite<'a> {
        FullWrite(version)
    }
}

impl ToRelIndex<Version> for Rises {
    type RelIndex<'a> = RisesRead<'a>;
    fn to_rel_index<'a>(&'a self, version: &'a Version) -> RisesRead<'a> {
        RisesRead(&version.rises)
    }

    type RelIndexWrite<'a> = RisesWrite;
    fn to_rel_index_write<'a>(&'a mut self, _version: &'a mut Version) -> RisesWrite {
        RisesWrite
    }
}

impl RelFullIndexRead<'_> for Version {
    type Key = (Growth,);

    /// Left to the insertion, which knows the order.
    fn contains_key(&self, _key: &Self::Key) -> bool {
        false
    }
}

pub struct FullWrite<'a>(&'a mut Version);

impl RelIndexWrite for FullWrite<'_> {
    type Key = (Growth,);
    type Value = ();

    fn index_insert(&mut self, (row,): Self::Key, (): ()) {
        self.0.insert(&row);
    }
}

impl RelFullIndexWrite for FullWrite<'_> {
    type Key = (Growth,);
    type Value = ();

    fn insert_if_not_present(&mut self, (row,): &Self::Key, (): ()) -> bool {
        self.0.insert(row)
    }
}

impl RelIndexMerge for FullWrite<'_> {
    fn move_index_contents(_from: &mut Self, _to: &mut Self) {}
    fn merge_delta_to_total_new_to_delta(_new: &mut Self, _delta: &mut Self, _total: &mut Self) {}
}

#[derive(Clone, Copy)]
pub struct RisesRead<'a>(&'a Vec<(Growth,)>);

impl<'a> RelIndexRead<'a> for RisesRead<'a> {
    type Key = ();
    type Value = &'a (Growth,);
    type IteratorType = std::slice::Iter<'a, (Growth,)>;

    fn index_get(&'a self, (): &()) -> Option<Self::IteratorType> {
        Some(self.0.iter())
    }

    fn len_estimate(&self) -> usize {
        self.0.len()
    }

    fn is_empty(&'a self) -> bool {
        self.0.is_empty()
    }
}

pub struct RisesWrite;

impl RelIndexWrite for RisesWrite {
    type Key = ();
    type Value = (Growth,);

    fn index_insert(&mut self, (): (), _row: (Growth,)) {}
}

impl RelIndexMerge for RisesWrite {
    fn move_index_contents(_from: &mut Self, _to: &mut Self) {}
    fn merge_delta_to_total_new_to_delta(_new: &mut Self, _delta: &mut Self, _total: &mut Self) {}
}

/// The rows that the relation starts with. What heads insert is not kept.
#[derive(Default)]
pub struct Rows(Vec<(Growth,)>);

impl Rows {
    pub fn iter(&self) -> std::slice::Iter<'_, (Growth,)> {
        self.0.iter()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn push(&mut self, _row: (Growth,)) {}
}

/// What `#[ds(…)]` expects of a module: which types hold the relation and its indexes.
pub mod provider {
    #[doc(hidden)]
    #[macro_export]
    macro_rules! growth_codegen {
        ($($tokens:tt)*) => {};
    }
    pub use growth_codegen as rel_codegen;

    #[doc(hidden)]
    #[macro_export]
    macro_rules! growth_rel {
        ($($tokens:tt)*) => {
            $crate::compiled::growth::Rows
        };
    }
    pub use growth_rel as rel;

    #[doc(hidden)]
    #[macro_export]
    macro_rules! growth_common {
        ($($tokens:tt)*) => {
            $crate::compiled::growth::Version
        };
    }
    pub use growth_common as rel_ind_common;

    #[doc(hidden)]
    #[macro_export]
    macro_rules! growth_full_index {
        ($($tokens:tt)*) => {
            $crate::compiled::growth::Full
        };
    }
    pub use growth_full_index as rel_full_ind;

    #[doc(hidden)]
    #[macro_export]
    macro_rules! growth_index {
        ($($tokens:tt)*) => {
            $crate::compiled::growth::Rises
        };
    }
    pub use growth_index as rel_ind;
}
