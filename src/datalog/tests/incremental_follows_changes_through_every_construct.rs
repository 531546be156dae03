//! Each construct of the language by itself: facts come and go, and the relation follows.

mod common;

use heddle_datalog::theory::{BackendKind, Theory};

/// A theory that is settled after each change.
struct Session(Theory);

impl Session {
    fn new(rules: &str) -> Self {
        let rules = common::load(rules);
        Session(Theory::new(rules, BackendKind::Incremental).unwrap())
    }

    /// Changes such as `+edge(a, b)` and `-edge(a, b)`, all in one epoch.
    fn change(&mut self, changes: &str) -> &mut Self {
        for change in changes.split_whitespace() {
            let (sign, fact) = change.split_at(1);
            let (relation, rest) = fact.split_once('(').unwrap();
            let fields: Vec<&str> = rest.trim_end_matches(')').split(',').collect();
            let fields = if fields == [""] { Vec::new() } else { fields };
            let row = common::row(&mut self.0, relation, &fields);
            let relation = self.0.rules().find(relation).unwrap();
            match sign {
                "+" => self.0.insert(relation, row),
                _ => assert!(self.0.retract(relation, &row), "{change}: it is in"),
            }
        }
        self.0.settle().unwrap();
        self
    }

    /// The relation's tuples, sorted, such as `a,b b,c`.
    fn shows(&mut self, relation: &str, expected: &str) -> &mut Self {
        let id = self.0.rules().find(relation).unwrap();
        let text = heddle_datalog::fact_files::relation_text(&self.0, id);
        let rows: Vec<String> = text.lines().map(|line| line.replace('\t', ",")).collect();
        assert_eq!(rows.join(" "), expected, "{relation}");
        self
    }
}

#[test]
fn recursion_over_one_relation() {
    Session::new(
        ".decl edge(a: symbol, b: symbol)
         .decl path(a: symbol, b: symbol)
         .output path
         path(a, b) :- edge(a, b).
         path(a, c) :- path(a, b), edge(b, c).",
    )
    .change("+edge(a,b) +edge(b,c)")
    .shows("path", "a,b a,c b,c")
    .change("+edge(c,a)")
    .shows("path", "a,a a,b a,c b,a b,b b,c c,a c,b c,c")
    .change("-edge(b,c)")
    .shows("path", "a,b c,a c,b");
}

#[test]
fn tuples_that_only_support_each_other_go() {
    Session::new(
        ".decl p(a: symbol) .decl q(a: symbol) .decl r(a: symbol) .decl start(a: symbol)
         .output start
         p(a) :- start(a).
         p(a) :- q(a).
         q(a) :- r(a).
         r(a) :- p(a).",
    )
    .change("+start(a) +start(b)")
    .shows("r", "a b")
    .change("-start(a)")
    .shows("p", "b")
    .shows("q", "b")
    .shows("r", "b");
}

#[test]
fn recursion_over_several_relations() {
    Session::new(
        ".decl next(a: number, b: number) .decl even(a: number) .decl odd(a: number)
         .output odd
         even(0).
         odd(b) :- even(a), next(a, b).
         even(b) :- odd(a), next(a, b).",
    )
    .change("+next(0,1) +next(1,2) +next(2,3)")
    .shows("even", "0 2")
    .shows("odd", "1 3")
    .change("-next(1,2)")
    .shows("even", "0")
    .shows("odd", "1")
    .change("+next(1,2)")
    .shows("odd", "1 3");
}

#[test]
fn facts_of_a_derived_relation() {
    Session::new(
        ".decl e(a: symbol) .decl p(a: symbol)
         .output p
         p(a) :- e(a).",
    )
    .change("+e(a) +p(a) +p(b)")
    .shows("p", "a b")
    .change("-e(a)")
    .shows("p", "a b")
    .change("-p(a)")
    .shows("p", "b");
}

#[test]
fn negation_with_a_wildcard_and_a_constant() {
    Session::new(
        ".decl node(a: symbol) .decl edge(a: symbol, b: symbol)
         .decl sink(a: symbol) .decl not_to_b(a: symbol)
         .output not_to_b
         sink(a) :- node(a), !edge(a, _).
         not_to_b(a) :- node(a), !edge(a, \"b\").",
    )
    .change("+node(a) +node(b) +edge(a,b) +edge(a,c)")
    .shows("sink", "b")
    .shows("not_to_b", "b")
    .change("-edge(a,b)")
    .shows("sink", "b")
    .shows("not_to_b", "a b")
    .change("-edge(a,c)")
    .shows("sink", "a b");
}

#[test]
fn aggregates_with_and_without_values() {
    Session::new(
        ".decl item(g: symbol, n: number) .decl group(g: symbol)
         .decl total(g: symbol, c: number, s: number)
         .decl extremes(g: symbol, low: number, high: number)
         .decl all(c: number)
         .output all
         total(g, c, s) :- group(g), c = count : { item(g, _) }, s = sum n : { item(g, n) }.
         extremes(g, low, high) :- group(g), low = min n : { item(g, n) }, high = max n : { item(g, n) }.
         all(c) :- c = count : { item(_, _) }.",
    )
    .change("+group(a) +group(b)")
    .shows("total", "a,0,0 b,0,0")
    .shows("extremes", "")
    .shows("all", "0")
    .change("+item(a,3) +item(a,5) +item(a,-2)")
    .shows("total", "a,3,6 b,0,0")
    .shows("extremes", "a,-2,5")
    .shows("all", "3")
    .change("-item(a,5) -group(b)")
    .shows("total", "a,2,1")
    .shows("extremes", "a,-2,3")
    .change("-item(a,3) -item(a,-2)")
    .shows("total", "a,0,0")
    .shows("all", "0");
}

#[test]
fn an_aggregate_of_values_that_depend_on_the_outside() {
    Session::new(
        ".decl b(x: number) .decl c(n: number, s: number)
         .output c
         c(n, sum x / n : { b(x) }) :- b(n).",
    )
    .change("+b(2) +b(4)")
    .shows("c", "2,3 4,1")
    .change("+b(0)")
    .shows("c", "0,0 2,3 4,1")
    .change("-b(4) +b(6)")
    .shows("c", "0,0 2,4 6,1");
}

#[test]
fn an_aggregate_as_a_test_and_within_recursion() {
    Session::new(
        ".decl edge(a: symbol, b: symbol) .decl start(a: symbol) .decl reached(a: symbol)
         .decl lonely(a: symbol)
         .output lonely
         reached(a) :- start(a).
         reached(b) :- reached(a), edge(a, b), n = count : { edge(_, b) }, n < 2.
         lonely(a) :- start(a), 1 = count : { edge(a, _) }.",
    )
    .change("+start(a) +edge(a,b) +edge(b,c) +edge(c,d)")
    .shows("reached", "a b c d")
    .shows("lonely", "a")
    .change("+edge(x,c) +edge(a,c)")
    .shows("reached", "a b")
    .shows("lonely", "");
}

#[test]
fn arithmetic_that_has_no_value_derives_nothing() {
    Session::new(
        ".decl n(a: number) .decl quotient(a: number, q: number) .decl far(a: number)
         .output far
         quotient(a, q) :- n(a), q = 12 / a.
         far(a) :- n(a), a * a > 9, a % 2 != 0.",
    )
    .change("+n(0) +n(3) +n(-4) +n(5)")
    .shows("quotient", "-4,-3 3,4 5,2")
    .shows("far", "5")
    .change("+n(4294967299) -n(5)")
    .shows("far", "4294967299");
}

#[test]
fn repeated_variables_and_wide_tuples() {
    Session::new(
        ".decl e(a: symbol, b: symbol, c: number, d: number, x: symbol, y: symbol)
         .decl loop(a: symbol, c: number)
         .output loop
         loop(a, c) :- e(a, a, c, c, _, _).",
    )
    .change("+e(a,a,1,1,x,y) +e(a,a,1,2,x,y) +e(a,b,1,1,x,y) +e(b,b,3,3,x,y)")
    .shows("loop", "a,1 b,3")
    .change("-e(a,a,1,1,x,y)")
    .shows("loop", "b,3");
}

#[test]
fn a_relation_without_columns() {
    Session::new(
        ".decl on() .decl light(a: symbol) .decl shines(a: symbol)
         .output shines
         shines(a) :- on(), light(a).",
    )
    .change("+light(a)")
    .shows("shines", "")
    .change("+on()")
    .shows("shines", "a")
    .change("-on()")
    .shows("shines", "");
}

const ORDER: &str = ".decl event(e: symbol, t: symbol, i: number) .decl executed(e: symbol)
     .decl edge(a: symbol, b: symbol)
     .decl lt(a: symbol, b: symbol) order(event, executed)
     .output lt
     lt(a, b) :- edge(a, b).
     ";

#[test]
fn an_order_is_transitive_and_has_its_chains() {
    Session::new(ORDER)
        .change("+event(a,t,0) +event(b,t,1) +event(c,t,2) +event(x,u,0)")
        .shows("lt", "")
        .change("+executed(a) +executed(b) +executed(c) +executed(x)")
        .shows("lt", "a,b a,c b,c")
        .change("+edge(b,x)")
        .shows("lt", "a,b a,c a,x b,c b,x")
        .change("-executed(b)")
        .shows("lt", "a,c b,x");
}

#[test]
fn events_in_no_chain_are_ordered_by_edges_alone() {
    Session::new(ORDER)
        .change("+edge(p,q) +edge(q,r) +event(q,t,0) +event(s,t,1) +executed(s)")
        .shows("lt", "p,q p,r q,r")
        .change("+executed(q)")
        .shows("lt", "p,q p,r p,s q,r q,s")
        .change("-edge(p,q)")
        .shows("lt", "q,r q,s");
}

#[test]
fn a_cycle_in_an_order_comes_and_goes() {
    let mut session = Session::new(&format!("{ORDER} .conflict lt(e, e)"));
    session.change("+edge(a,b) +edge(b,c)");
    assert!(session.0.violated_conflicts().is_empty());
    session
        .change("+edge(c,a)")
        .shows("lt", "a,a a,b a,c b,a b,b b,c c,a c,b c,c");
    assert_eq!(session.0.violated_conflicts().len(), 1);
    session.change("-edge(b,c)").shows("lt", "a,b c,a c,b");
    assert!(session.0.violated_conflicts().is_empty());
}

#[test]
fn an_order_below_negation_and_aggregates() {
    Session::new(&format!(
        "{ORDER}
         .decl node(a: symbol) .decl first(a: symbol) .decl last(a: symbol)
         .decl apart(a: symbol, b: symbol) .decl rank(a: symbol, n: number)
         .output rank
         first(a) :- node(a), !lt(_, a).
         last(a) :- node(a), !lt(a, _).
         apart(a, b) :- node(a), node(b), a != b, !lt(a, b), !lt(b, a).
         rank(a, n) :- node(a), n = count : {{ lt(b, a) }}."
    ))
    .change("+node(a) +node(b) +node(c) +edge(a,b) +edge(a,c)")
    .shows("first", "a")
    .shows("last", "b c")
    .shows("apart", "b,c c,b")
    .shows("rank", "a,0 b,1 c,1")
    .change("+event(b,t,0) +event(c,t,1) +executed(b) +executed(c)")
    .shows("last", "c")
    .shows("apart", "")
    .shows("rank", "a,0 b,1 c,2")
    .change("-edge(a,b)")
    .shows("first", "a b")
    .shows("apart", "a,b b,a")
    .shows("rank", "a,0 b,0 c,2");
}

#[test]
fn an_aggregate_counts_the_events_of_an_order_that_nothing_else_mentions() {
    Session::new(&format!(
        "{ORDER}
         .decl all(n: number) .decl named(n: number) .decl before(b: symbol, n: number)
         .decl times(n: number) .decl weight(n: number) .decl least(n: number)
         .output all, named, before, times, weight, least
         all(count : {{ lt(_, _) }}).
         named(count : {{ lt(a, b) }}).
         before(b, count : {{ lt(a, b) }}) :- edge(_, b).
         times(count : {{ lt(a, \"c\"), edge(_, _) }}).
         weight(sum 3 : {{ lt(a, _) }}).
         least(min 3 : {{ lt(_, _) }})."
    ))
    .change("+event(a,t,1) +event(b,t,2) +executed(a) +executed(b)")
    .shows("all", "1")
    .change("+edge(b,c) +edge(x,y)")
    .shows("all", "4")
    .shows("named", "4")
    .shows("before", "c,2 y,1")
    .shows("times", "4")
    .shows("weight", "12")
    .shows("least", "3")
    .change("+edge(b,a)")
    .shows("all", "7")
    .shows("before", "a,2 c,2 y,1")
    .change("-edge(b,a) -executed(a)")
    .shows("all", "2")
    .shows("before", "c,1 y,1");
}

#[test]
fn rules_that_need_the_last_event_of_each_chain() {
    Session::new(&format!(
        "{ORDER}
         .decl mark(e: symbol, m: symbol) .decl after(e: symbol, m: symbol)
         .output after
         lt(a, y) :- edge(y, b), lt(a, b), mark(a, m), mark(y, m), a != y."
    ))
    .change(
        "+event(a1,t,1) +event(a2,t,2) +event(a3,t,3) +executed(a1) +executed(a2) +executed(a3)",
    )
    .change("+mark(a1,m) +mark(a2,m) +mark(y,m) +edge(y,b) +edge(a3,b)")
    .shows("lt", "a1,a2 a1,a3 a1,b a1,y a2,a3 a2,b a2,y a3,b y,b")
    .change("-mark(a2,m)")
    .shows("lt", "a1,a2 a1,a3 a1,b a1,y a2,a3 a2,b a3,b y,b")
    .change("-edge(a3,b)")
    .shows("lt", "a1,a2 a1,a3 a2,a3 y,b");
}

#[test]
fn facts_of_an_order_are_edges() {
    Session::new(ORDER)
        .change("+lt(a,b) +lt(b,c)")
        .shows("lt", "a,b a,c b,c")
        .change("-lt(a,b)")
        .shows("lt", "b,c");
}

#[test]
fn a_rule_with_two_atoms_of_its_own_order() {
    Session::new(
        ".decl event(e: symbol, t: symbol, i: number) .decl loop(e: symbol)
         .decl lt(a: symbol, b: symbol) order(event) .output lt
         lt(a, a) :- loop(a).
         lt(a, c) :- lt(a, b), lt(b, c).",
    )
    .change("+loop(a) +loop(b)")
    .shows("lt", "a,a b,b")
    .change("+lt(a,b) +event(b,t,0) +event(c,t,1)")
    .shows("lt", "a,a a,b a,c b,b b,c");
}

#[test]
fn rules_that_had_nothing_to_work_on_at_first() {
    let rules = ".decl node(a: symbol) .decl edge(a: symbol, b: symbol) .decl dead(a: symbol)
         .decl path(a: symbol, b: symbol) .decl alone(a: symbol) .decl paths(n: number)
         .output paths, alone
         path(a, b) :- edge(a, b), !dead(b).
         path(a, c) :- path(a, b), path(b, c).
         alone(a) :- node(a), !path(a, _).
         paths(n) :- n = count : { path(_, _) }.
         .conflict path(a, a), dead(a)";
    let mut session = Session::new(rules);
    session
        .change("+node(a) +node(b)")
        .shows("alone", "a b")
        .shows("paths", "0")
        .change("+edge(a,b) +edge(b,a) -node(b)")
        .shows("path", "a,a a,b b,a b,b")
        .shows("alone", "")
        .shows("paths", "4");
    assert!(session.0.violated_conflicts().is_empty());
    session.change("+dead(a)").shows("path", "a,b");
    session.change("+path(a,a)").shows("paths", "2");
    assert_eq!(session.0.violated_conflicts().len(), 1);
}

#[test]
fn facts_of_a_relation_whose_recursive_rules_have_nothing_to_work_on() {
    Session::new(
        ".decl edge(a: symbol, b: symbol) .decl odd(a: symbol) .decl even(a: symbol)
         .output odd, even
         odd(a) :- even(a).
         even(b) :- odd(a), edge(a, b).",
    )
    .change("+even(a)")
    .shows("odd", "a")
    .shows("even", "a")
    .change("+edge(a,b)")
    .shows("odd", "a b")
    .shows("even", "a b");
}

#[test]
fn an_order_whose_events_are_derived_later() {
    Session::new(
        ".decl step(e: symbol, t: symbol, i: number) .decl cut(e: symbol)
         .decl event(e: symbol, t: symbol, i: number) .decl lt(a: symbol, b: symbol) order(event)
         .decl after(a: symbol, b: symbol) .output after
         event(e, t, i) :- step(e, t, i).
         after(b, a) :- lt(a, b), !cut(a).",
    )
    .change("")
    .shows("after", "")
    .change("+step(a,t,0) +step(b,t,1) +cut(a)")
    .shows("after", "")
    .change("-cut(a) +lt(b,c)")
    .shows("after", "b,a c,a c,b");
}
