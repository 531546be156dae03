//! Simplification and SMT-LIB text never change the value of a term.

mod random;

use heddle_program::{Terms, Value};
use proptest::prelude::*;
use random::{Decoder, VARIABLES};

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 4000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_simplified_term_has_the_value_of_the_plain_one(
        choices in prop::collection::vec(0u16.., 1..600),
    ) {
        let mut decoder = Decoder::new(&choices);
        let values: Vec<Value> = VARIABLES.iter().map(|&sort| decoder.value(sort)).collect();
        for sort in VARIABLES {
            let expression = decoder.expression(sort, 5);
            let mut terms = Terms::new();
            let variables = random::declare(&mut terms);
            let term = random::build(&mut terms, &variables, &expression);
            prop_assert_eq!(terms.sort(term), sort);
            let value = terms.evaluate(term, |variable| values[variable.index()].clone());
            if let Some(expected) = random::naive(&expression, &values) {
                prop_assert_eq!(&value, &Ok(expected));
            }
            let text = terms.to_smtlib(term);
            let again = match terms.parse(&text, Some(sort)) {
                Ok(again) => again,
                Err(error) => return Err(TestCaseError::fail(format!("{text}: {error:?}"))),
            };
            let reread = terms.evaluate(again, |variable| values[variable.index()].clone());
            if value.is_ok() {
                prop_assert_eq!(reread, value, "{}", text);
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused_with_a_place_inside_of_it(
        text in "[(){}|_a-c0-9 !:#xbvs+=<*-]{0,60}",
    ) {
        let mut terms = Terms::new();
        random::declare(&mut terms);
        if let Err(error) = terms.parse(&text, None) {
            prop_assert!(error.range.end <= text.len() && text.is_char_boundary(error.range.start));
        }
    }
}
