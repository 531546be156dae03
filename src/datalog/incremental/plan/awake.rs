//! Rules that can find something, as opposed to those that need no operators yet.
//!
//! Every operator is visited in every round of every epoch, be there anything for it to do or
//! not. The rules for atomic blocks, say, would take a third of the time of an execution that
//! has none.

use heddle_language::ruleset::{Literal, RelationId, RelationKind, RuleSet};

/// The relations that may hold tuples, by relation.
#[derive(Debug)]
pub(crate) struct Awake(Vec<bool>);

impl Awake {
    pub(crate) fn all(rules: &RuleSet) -> Self {
        Awake(vec![true; rules.relations.len()])
    }

    /// What can follow from facts of some relations.
    pub(crate) fn by_facts(rules: &RuleSet, has_facts: impl Fn(RelationId) -> bool) -> Self {
        let mut awake = Awake(rules.relation_ids().map(has_facts).collect());
        while let Some(relation) = rules
            .relation_ids()
            .find(|&relation| !awake.contains(relation) && awake.may_follow(rules, relation))
        {
            awake.0[relation.index()] = true;
        }
        awake
    }

    pub(crate) fn contains(&self, relation: RelationId) -> bool {
        self.0[relation.index()]
    }

    /// Whether rules, or the chains of an order, can give the relation tuples.
    fn may_follow(&self, rules: &RuleSet, relation: RelationId) -> bool {
        let chained = match rules.relation(relation).kind {
            RelationKind::Order(order) => self.contains(order.event),
            RelationKind::Plain | RelationKind::Choice => false,
        };
        let mut own_rules = rules
            .rules
            .iter()
            .filter(|rule| rule.head.relation == relation);
        chained || own_rules.any(|rule| self.may_hold(&rule.body))
    }

    /// Whether a body can have an assignment.
    pub(crate) fn may_hold(&self, body: &[Literal]) -> bool {
        body.iter().all(|literal| match literal {
            Literal::Positive(atom) => self.contains(atom.relation),
            _ => true,
        })
    }
}
