//! No nesting is too deep for a diagnostic, and no file too long.

use crate::support::{errors, rules};

const DECLARATIONS: &str = ".decl p(x: number)\n.output p\n";

fn first_error(rule: &str) -> String {
    let report = errors(&format!("{DECLARATIONS}{rule}"));
    report.lines().next().unwrap_or_default().to_string()
}

#[test]
fn of_parentheses_and_signs() {
    let many = 100_000;
    for rule in [
        format!("p(1) :- {}p(1){}.", "(".repeat(many), ")".repeat(many)),
        format!("p(1) :- {}p(1).", "!".repeat(many)),
        format!("p({}1{}).", "(".repeat(many), ")".repeat(many)),
        format!(
            "p(1) :- p(x), {}x{} = 1.",
            "(".repeat(many),
            ")".repeat(many)
        ),
        format!("p(x) :- p(y), x = {}y.", "-".repeat(many)),
    ] {
        assert_eq!(first_error(&rule), "error: this is nested too deeply");
    }
    let calls = format!("p(1) :- {}1{}.", "p(".repeat(many), ")".repeat(many));
    assert_eq!(first_error(&calls), "error: this is nested too deeply");
    let unclosed = format!("p(1) :- {}", "(".repeat(many));
    assert_eq!(first_error(&unclosed), "error: this is nested too deeply");
}

#[test]
fn ninety_nine_operators_in_a_row_are_enough() {
    for operator in ["+", "*"] {
        let sum = |operators: usize| {
            let terms = format!("1 {operator} ").repeat(operators);
            format!("p({terms}1).")
        };
        rules(&format!("{DECLARATIONS}{}", sum(99)));
        for operators in [100, 100_000] {
            let error = "error: this expression has too many operators";
            assert_eq!(first_error(&sum(operators)), error);
        }
    }
}

#[test]
fn moderate_nesting_is_fine() {
    let depth = 50;
    let rule = format!(
        "p({}1{}) :- {}p(1){}.",
        "(".repeat(depth),
        ")".repeat(depth),
        "!(".repeat(depth),
        ")".repeat(depth)
    );
    let rules = rules(&format!("{DECLARATIONS}{rule}"));
    assert_eq!(
        rules.show_rule(&rules.rules[0]).to_string(),
        "p(1) :- p(1)."
    );
}

#[test]
fn a_body_is_not_endless() {
    let rule = format!("p(x) :- p(x){}.", ", p(x)".repeat(20_000));
    assert_eq!(first_error(&rule), "error: this body is too long");
}

#[test]
fn a_file_may_have_many_facts_and_relations() {
    let mut text = String::from(DECLARATIONS);
    for number in 0..20_000 {
        text += &format!("p({number}).\n");
    }
    for number in 0..5_000 {
        let next = number + 1;
        text += &format!(".decl r{number}(x: number)\nr{number}(x) :- r{next}(x).\n");
    }
    text += ".decl r5000(x: number)\np(x) :- r0(x).\n";
    let rules = rules(&text);
    assert_eq!(rules.rules.len(), 25_001);
    assert_eq!(rules.strata.len(), 5_002);
    let lowest = rules.strata[0].relations[0];
    assert_eq!(rules.relation(lowest).name, "r5000");
}

#[test]
fn only_the_first_hundred_mistakes_are_shown() {
    let text = format!("{DECLARATIONS}{}", "p(q).\n".repeat(250));
    let report = errors(&text);
    assert_eq!(report.matches("nothing binds").count(), 100);
    assert!(
        report.ends_with("\nerror: 150 more are not shown\n"),
        "{report}"
    );
}
