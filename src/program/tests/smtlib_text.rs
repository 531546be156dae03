//! What SMT-LIB text is understood, how it is written, and how mistakes are reported.

use heddle_program::{Scalar, Sexp, Sexps, Sort, TermId, Terms};

fn arena() -> Terms {
    let mut terms = Terms::new();
    terms.declare("x", Sort::Int);
    terms.declare("y", Sort::Int);
    terms.declare("p", Sort::Bool);
    terms.declare("b", Sort::BitVec(8));
    terms.declare("a", Sort::array(Scalar::Int, Scalar::Int, 4));
    terms.declare("2 words", Sort::Bool);
    terms
}

fn parse(terms: &mut Terms, text: &str) -> TermId {
    match terms.parse(text, None) {
        Ok(term) => term,
        Err(error) => panic!("{text}: {error:?}"),
    }
}

fn infix(text: &str) -> String {
    let mut terms = arena();
    let term = parse(&mut terms, text);
    terms.display(term).to_string()
}

/// The message, and the part of the text that the caret is under.
fn mistake(text: &str, expected: Option<Sort>) -> (String, String) {
    let error = arena().parse(text, expected).expect_err("ill-formed");
    (error.message, text[error.range].to_owned())
}

#[test]
fn chains_and_abbreviations_are_understood() {
    assert_eq!(infix("(< x y 3)"), "x < y && y < 3");
    assert_eq!(infix("(>= x y)"), "y <= x");
    assert_eq!(infix("(distinct x y)"), "x != y");
    assert_eq!(infix("(=> p (= x 1))"), "x = 1 || !p");
    assert_eq!(infix("(- x y 1)"), "x - y - 1");
    assert_eq!(infix("(bvuge b #x0f)"), "!(b <u 15)");
    assert_eq!(infix("(let ((z (+ x 1)) (x y)) (* z x))"), "y * (x + 1)");
    assert_eq!(infix("(! (= x 0) :named start)"), "x = 0");
    assert_eq!(infix("|2 words|"), "2 words");
}

#[test]
fn text_written_is_read_back_as_the_same_term() {
    for text in [
        "(= (select a x) (- 5))",
        "(store a 0 (ite p x y))",
        "(bvult ((_ extract 3 0) b) (_ bv9 4))",
        "(= a (! ((as const (Array Int Int)) 7) :length 4))",
        "|2 words|",
        "(= x 170141183460469231731687303715884105727)",
        "(= x (- 170141183460469231731687303715884105728))",
    ] {
        let mut terms = arena();
        let term = parse(&mut terms, text);
        let written = terms.to_smtlib(term);
        assert_eq!(parse(&mut terms, &written), term, "{text} became {written}");
    }
}

#[test]
fn a_term_with_shared_parts_is_written_in_linear_space() {
    let mut terms = arena();
    let mut term = parse(&mut terms, "b");
    for _ in 0..200 {
        term = terms.bv_mul(term, term);
    }
    let text = terms.to_smtlib(term);
    assert!(text.len() < 10_000, "{} bytes", text.len());
    assert_eq!(parse(&mut terms, &text), term);
}

#[test]
fn what_people_read_of_a_term_with_shared_parts_or_many_arguments_is_short() {
    let mut terms = arena();
    let mut shared = parse(&mut terms, "x");
    for _ in 0..55 {
        shared = terms.add(shared, shared);
    }
    let text = terms.display(shared).to_string();
    assert!(text.contains('…') && text.len() < 20_000, "{text}");
    let comparisons: String = (0..30_000).map(|n| format!(" (= x {n})")).collect();
    let wide = parse(&mut terms, &format!("(or{comparisons})"));
    let text = terms.display(wide).to_string();
    assert!(text.ends_with('…') && text.len() < 20_000, "{text}");
}

#[test]
fn deep_nesting_does_not_exhaust_the_stack() {
    let depth = 200_000;
    let text = format!("{}x{}", "(+ y ".repeat(depth), ")".repeat(depth));
    let mut terms = arena();
    let term = parse(&mut terms, &text);
    let written = terms.to_smtlib(term);
    assert_eq!(parse(&mut terms, &written), term);
    assert!(terms.display(term).to_string().contains('…'));
    let open = "(".repeat(depth);
    assert!(terms.parse(&open, None).is_err());
}

#[test]
fn an_array_of_constants_takes_its_length_from_what_is_expected() {
    let mut terms = arena();
    let sort = Sort::array(Scalar::Int, Scalar::Int, 4);
    let text = "(store ((as const (Array Int Int)) 0) 2 9)";
    let term = terms.parse(text, Some(sort)).expect("well-formed");
    assert_eq!(terms.sort(term), sort);
    let (message, place) = mistake(text, None);
    assert!(message.contains("the length of this array is not known"));
    assert_eq!(place, "((as const (Array Int Int)) 0)");
}

#[test]
fn literals_of_bit_vectors_have_no_sign() {
    for (text, expected) in [
        ("#b+1", "malformed binary literal"),
        ("#x+f", "malformed hexadecimal literal"),
        ("#x", "malformed hexadecimal literal"),
        ("(_ bv+5 8)", "this is not a constant"),
    ] {
        assert_eq!(mistake(text, None), (expected.into(), text.into()));
    }
}

#[test]
fn an_array_has_a_length_that_a_state_can_hold() {
    for length in ["0", "4294967295"] {
        let text = format!("(! ((as const (Array Int Int)) 0) :length {length})");
        let (message, place) = mistake(&text, None);
        assert!(message.contains("an array has 1 to 16777216 elements"));
        assert_eq!(place, length);
    }
}

#[test]
fn mistakes_are_named_and_placed() {
    let int = Some(Sort::Int);
    assert_eq!(
        mistake("(+ x (and p p))", None),
        (
            "`+` expects Int here, not Bool".into(),
            "(+ x (and p p))".into()
        )
    );
    assert_eq!(
        mistake("(+ x z)", int),
        ("there is no variable `z`".into(), "z".into())
    );
    assert_eq!(
        mistake("(frob x)", int).0,
        "`frob` is not an operator that heddle knows"
    );
    assert_eq!(mistake("(+ x 1", int).0, "this parenthesis is not closed");
    assert_eq!(
        mistake("(+ x 1) y", int),
        (
            "there is text after the end of the expression".into(),
            "y".into()
        )
    );
    assert_eq!(
        mistake("p", int).0,
        "a term of sort Int is expected here, not Bool"
    );
    assert_eq!(
        mistake("((_ extract 9 0) b)", None).0,
        "bits 9 down to 0 are not part of 8 bits"
    );
    assert_eq!(
        mistake("(_ bv300 8)", None).0,
        "300 does not fit into 8 bits"
    );
    assert_eq!(mistake("", None).0, "an expression is expected here");
    assert_eq!(mistake("()", None).0, "`()` is not a term");
    assert_eq!(
        mistake("(= x \"1\")", None),
        ("a string is not a term".into(), "\"1\"".into())
    );
}

#[test]
fn a_misspelt_variable_gets_a_suggestion() {
    let mut terms = Terms::new();
    terms.declare("counter", Sort::Int);
    let error = terms.parse("(+ countr 1)", None).expect_err("misspelt");
    assert_eq!(error.hint.as_deref(), Some("there is a variable `counter`"));
}

#[test]
fn what_stands_in_a_string_is_text() {
    let text = r#"(set-info :source "by hand; see (notes") (x"a ""b"" |c" y)"#;
    let sexps = Sexps::read_all(text).unwrap();
    let &[info, list] = sexps.list(sexps.root()).unwrap() else {
        panic!("two commands");
    };
    let parts = |id| -> Vec<&str> {
        let items = sexps.list(id).unwrap().iter();
        items.map(|&id| &text[sexps.range(id)]).collect()
    };
    let note = r#""by hand; see (notes""#;
    assert_eq!(parts(info), ["set-info", ":source", note]);
    assert_eq!(parts(list), ["x", r#""a ""b"" |c""#, "y"]);
    let string = sexps.list(list).unwrap()[1];
    assert!(matches!(sexps.get(string), Sexp::Text(r#"a ""b"" |c"#)));
    assert_eq!(sexps.symbol(string), None);
}

#[test]
fn a_string_that_is_not_closed_is_shown_where_it_begins() {
    for text in [r#"(a "b)(c d)"#, r#"(a "b"")"#, r#"(a ""#] {
        let error = Sexps::read_all(text).unwrap_err();
        let expected = ("this string is not closed", 3..4);
        assert_eq!((&*error.message, error.range), expected, "{text}");
    }
}

#[test]
fn a_script_is_a_list_of_expressions_and_comments() {
    let text = "; first\n(a b) ; second\nc;third\n()";
    let sexps = Sexps::read_all(text).unwrap();
    let commands = sexps.list(sexps.root()).unwrap();
    let texts: Vec<&str> = commands.iter().map(|&id| &text[sexps.range(id)]).collect();
    assert_eq!(texts, ["(a b)", "c", "()"]);
    assert!(Sexps::read_all("").is_ok());
    let unclosed = Sexps::read_all("(a) (b").unwrap_err();
    assert_eq!(unclosed.range, 4..5);
}
