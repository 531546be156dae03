//! With `--integers mathematical` a proof is about the values that C's types have: an input is
//! no integer of any size.

use heddle_engine::predicate::check;
use heddle_engine::reach::Options;
use heddle_front::c::{self, Integers};
use heddle_program::Verdict;

fn verdict(body: &str) -> Verdict {
    let text = format!(
        "#include <assert.h>
         extern char __VERIFIER_nondet_char(void);
         extern short __VERIFIER_nondet_short(void);
         extern int __VERIFIER_nondet_int(void);
         int main(void) {{ {body} return 0; }}"
    );
    let options = c::Options {
        integers: Integers::Mathematical,
        ..c::Options::default()
    };
    let (program, _) = c::translate("input.c", &text, &options).unwrap();
    check(&program, &Options::default(), &mut ()).verdict
}

#[test]
fn of_their_type() {
    for (input, least, most) in [
        ("short s = __VERIFIER_nondet_short();", -32_768i64, 32_767),
        ("int s = __VERIFIER_nondet_char();", -128, 127),
        (
            "long s = __VERIFIER_nondet_int();",
            -2_147_483_648,
            2_147_483_647,
        ),
        ("int x; long s = x;", -2_147_483_648, 2_147_483_647),
    ] {
        let inside = format!("{input} assert(s >= {least}L && s <= {most}L);");
        assert_eq!(verdict(&inside), Verdict::Safe, "{inside}");
        for tighter in [format!("s > {least}L"), format!("s < {most}L")] {
            let body = format!("{input} assert({tighter});");
            assert_eq!(verdict(&body), Verdict::Unsafe, "{body}");
        }
    }
}
