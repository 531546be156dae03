//! The rule set with which the language is introduced.

use crate::support::loaded;

const EXAMPLE: &str = r#"
.type Event <: symbol
.type Var   <: symbol
.decl event(e: Event, thread: symbol, index: number)
.decl write(e: Event, v: Var)
.decl po(a: Event, b: Event)
.decl executed(e: Event)            choice      // each tuple carries a literal
.decl rf(w: Event, r: Event)        choice
.decl lt(a: Event, b: Event)        order(event, executed)

lt(a, b) :- po(a, b), executed(a), executed(b).
lt(w, r) :- rf(w, r).

@name("from-read")
lt(r, w2) :- rf(w, r), lt(w, w2), write(w, v), write(w2, v), w != w2, executed(w2).

.conflict lt(e, e)                              // what must never hold
"#;

#[test]
fn it_loads_without_a_warning_and_prints_as_written() {
    let loaded = loaded(EXAMPLE);
    assert_eq!(loaded.warnings.to_string(), "");
    assert_eq!(
        loaded.rules.to_string(),
        r#".type Event <: symbol
.type Var <: symbol
.decl event(e: Event, thread: symbol, index: number)
.decl write(e: Event, v: Var)
.decl po(a: Event, b: Event)
.decl executed(e: Event) choice
.decl rf(w: Event, r: Event) choice
.decl lt(a: Event, b: Event) order(event, executed)
lt(a, b) :- po(a, b), executed(a), executed(b).
lt(w, r) :- rf(w, r).
@name("from-read")
lt(r, w2) :- rf(w, r), lt(w, w2), w != w2, write(w, v), write(w2, v), executed(w2).
.conflict lt(e, e).
"#
    );
}

#[test]
fn strata_come_lowest_first() {
    let rules = loaded(EXAMPLE).rules;
    let strata: Vec<(Vec<&str>, usize, bool)> = rules
        .strata
        .iter()
        .map(|stratum| {
            let names = stratum.relations.iter();
            (
                names.map(|id| rules.relation(*id).name.as_str()).collect(),
                stratum.rules.len(),
                stratum.recursive,
            )
        })
        .collect();
    assert_eq!(
        strata,
        [
            (vec!["event"], 0, false),
            (vec!["write"], 0, false),
            (vec!["po"], 0, false),
            (vec!["executed"], 0, false),
            (vec!["rf"], 0, false),
            (vec!["lt"], 3, true),
        ]
    );
}
