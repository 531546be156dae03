//! Proofs: why a tuple holds, down to facts and literals.

use crate::facts::LiteralName;
use crate::show;
use crate::value::{Row, Symbols, Value};
use heddle_language::RuleSet;
use heddle_language::ruleset::{RelationId, RuleId};
use serde_json::{Value as Json, json};
use std::collections::VecDeque;
use std::fmt::Write;

/// Position in [`Proof::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A proof of the first node's claim. What is used several times is there once, so this is
/// a tree only when it is written out.
#[derive(Clone, Debug)]
pub struct Proof {
    pub nodes: Vec<Node>,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub claim: Claim,
    pub by: By,
    pub premises: Vec<NodeId>,
    /// 0 if there is nothing to prove, else one more than the highest premise.
    pub height: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    Holds(RelationId, Row),
    /// A negated atom or an aggregate, with values in place of variables.
    Literal(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Fact,
    /// It was chosen, by this literal.
    Choice(LiteralName),
    Rule(RuleId),
    /// By an order's transitivity; the premises are the steps of a path.
    Transitivity,
    /// Both events are in this chain.
    Chain(Value),
    /// There is no such tuple.
    Absence,
    /// An aggregate has this value.
    Aggregation,
}

/// How many levels below its root a tree of the text has. More cannot be read by their
/// indentation anyway.
const LEVELS: usize = 40;

/// Where the text has the premises of a node.
#[derive(Clone, Copy)]
enum Shown {
    NotYet,
    Above,
    /// In a tree of its own.
    Below,
}

/// A line of the text that is to be written.
struct Line {
    node: NodeId,
    level: usize,
    /// What stands in front of it, and of those below it.
    first: String,
    rest: String,
}

impl Line {
    fn root(node: NodeId) -> Self {
        Line {
            node,
            level: 0,
            first: String::new(),
            rest: String::new(),
        }
    }

    /// The lines of the premises, the last one first.
    fn below<'a>(&'a self, premises: &'a [NodeId]) -> impl Iterator<Item = Line> + 'a {
        let last = premises.len() - 1;
        premises
            .iter()
            .enumerate()
            .rev()
            .map(move |(place, &node)| {
                let (branch, bar) = match place == last {
                    true => ("└─ ", "   "),
                    false => ("├─ ", "│  "),
                };
                Line {
                    node,
                    level: self.level + 1,
                    first: format!("{}{branch}", self.rest),
                    rest: format!("{}{bar}", self.rest),
                }
            })
    }
}

impl Proof {
    pub fn root(&self) -> &Node {
        &self.nodes[0]
    }

    pub fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.index()]
    }

    /// The proof as an indented tree. What was shown before is not shown again. A high proof
    /// goes on in further trees, because its text would grow with the square of its height.
    pub fn to_text(&self, rules: &RuleSet, symbols: &Symbols) -> String {
        let mut text = String::new();
        let mut shown = vec![Shown::NotYet; self.nodes.len()];
        let mut roots = VecDeque::from([NodeId(0)]);
        while let Some(root) = roots.pop_front() {
            if !text.is_empty() {
                text.push('\n');
            }
            shown[root.index()] = Shown::NotYet;
            let mut open = vec![Line::root(root)];
            while let Some(line) = open.pop() {
                let node = self.node(line.node);
                let state = &mut shown[line.node.index()];
                let remark = match *state {
                    _ if node.premises.is_empty() => "",
                    Shown::Above => "  (see above)",
                    Shown::Below => "  (see below)",
                    Shown::NotYet if line.level == LEVELS => {
                        *state = Shown::Below;
                        roots.push_back(line.node);
                        "  (see below)"
                    }
                    Shown::NotYet => {
                        *state = Shown::Above;
                        open.extend(line.below(&node.premises));
                        ""
                    }
                };
                let label = self.label(rules, symbols, line.node);
                let _ = writeln!(text, "{}{label}{remark}", line.first);
            }
        }
        text
    }

    /// A list of nodes that refer to each other; the first is what was to be proved.
    pub fn to_json(&self, rules: &RuleSet, symbols: &Symbols) -> Json {
        let nodes = self.nodes.iter().enumerate().map(|(id, node)| {
            let premises: Vec<u32> = node.premises.iter().map(|premise| premise.0).collect();
            let mut json = json!({
                "id": id,
                "claim": self.claim_text(rules, symbols, node),
                "by": by_name(node.by),
                "height": node.height,
                "premises": premises,
            });
            if let Claim::Holds(relation, row) = &node.claim {
                let mut tuple = tuple_json(rules, symbols, *relation, row);
                for key in ["relation", "arguments"] {
                    json[key] = tuple[key].take();
                }
            }
            match node.by {
                By::Rule(rule) => json["rule"] = Json::from(rules.rule(rule).name.as_str()),
                By::Choice(literal) => json["literal"] = Json::from(symbols.name(literal)),
                By::Chain(chain) => {
                    json["chain"] = Json::from(chain_text(rules, symbols, node, chain))
                }
                _ => {}
            }
            json
        });
        json!({ "holds": true, "nodes": nodes.collect::<Vec<Json>>() })
    }

    /// The proof as a graph in the language of Graphviz.
    pub fn to_dot(&self, rules: &RuleSet, symbols: &Symbols) -> String {
        let mut graph = Graph::new();
        for (id, node) in (0..).zip(&self.nodes) {
            let label = self.claim_text(rules, symbols, node);
            let label = format!("{label}\n{}", self.by_text(rules, symbols, node));
            let style = if node.premises.is_empty() {
                "rounded"
            } else {
                "solid"
            };
            graph.node(id, &label, style);
            for premise in &node.premises {
                graph.edge(id, premise.0);
            }
        }
        graph.finish()
    }

    /// `lt(a, b)  [from-read]`
    fn label(&self, rules: &RuleSet, symbols: &Symbols, id: NodeId) -> String {
        let node = self.node(id);
        let claim = self.claim_text(rules, symbols, node);
        format!("{claim}  [{}]", self.by_text(rules, symbols, node))
    }

    fn claim_text(&self, rules: &RuleSet, symbols: &Symbols, node: &Node) -> String {
        match &node.claim {
            Claim::Holds(relation, row) => show::tuple(rules, symbols, *relation, row),
            Claim::Literal(text) => text.clone(),
        }
    }

    fn by_text(&self, rules: &RuleSet, symbols: &Symbols, node: &Node) -> String {
        match node.by {
            By::Fact => "fact".to_string(),
            By::Choice(literal) => {
                format!("literal {}", show::end_of_line(symbols.name(literal)))
            }
            By::Rule(rule) => rules.rule(rule).name.clone(),
            By::Transitivity => "order".to_string(),
            By::Chain(chain) => {
                let chain = chain_text(rules, symbols, node, chain);
                format!("chain {}", show::end_of_line(&chain))
            }
            By::Absence => "does not hold".to_string(),
            By::Aggregation => "computed".to_string(),
        }
    }
}

fn by_name(by: By) -> &'static str {
    match by {
        By::Fact => "fact",
        By::Choice(_) => "literal",
        By::Rule(_) => "rule",
        By::Transitivity => "order",
        By::Chain(_) => "chain",
        By::Absence => "absence",
        By::Aggregation => "aggregate",
    }
}

/// The chain's name as the `event` relation of the node's order would show it.
fn chain_text(rules: &RuleSet, symbols: &Symbols, node: &Node, chain: Value) -> String {
    use heddle_language::ruleset::RelationKind;
    if let Claim::Holds(relation, _) = &node.claim
        && let RelationKind::Order(order) = rules.relation(*relation).kind
    {
        return show::value(rules, symbols, order.event, 1, chain);
    }
    chain.0.to_string()
}

/// A tuple as the name of its relation and its values.
pub(super) fn tuple_json(
    rules: &RuleSet,
    symbols: &Symbols,
    relation: RelationId,
    row: &[Value],
) -> Json {
    let value = |(column, &value)| show::value(rules, symbols, relation, column, value);
    json!({
        "relation": rules.relation(relation).name,
        "arguments": row.iter().enumerate().map(value).collect::<Vec<String>>(),
    })
}

/// A graph of boxes in the language of Graphviz, under construction.
pub(super) struct Graph {
    text: String,
}

impl Graph {
    pub(super) fn new() -> Self {
        let text = "digraph proof {\n  node [shape=box, fontname=\"monospace\"];\n";
        Graph {
            text: text.to_string(),
        }
    }

    pub(super) fn node(&mut self, id: u32, label: &str, style: &str) {
        let label = escaped(label);
        let _ = writeln!(self.text, "  n{id} [label=\"{label}\", style={style}];");
    }

    pub(super) fn edge(&mut self, from: u32, to: u32) {
        let _ = writeln!(self.text, "  n{from} -> n{to};");
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push_str("}\n");
        self.text
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' | '\\' => escaped.extend(['\\', character]),
            '\n' => escaped.push_str("\\n"),
            _ => escaped.push(character),
        }
    }
    escaped
}
