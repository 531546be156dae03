//! `;`, `!( … )` and several heads are short for several rules.

use crate::support::{errors, rules};

#[test]
fn each_gets_its_own() {
    let text = r#".decl a(x: number) .decl b(x: number) .decl c(x: number)
.output a, b
@name("both")
a(x), b(x + 1) :- c(x), (x > 3 ; x < 1), !(c(x + 1), x != 2).
a(x) :- !(!b(x) ; x = 2), (b(x)), (x + 1) * 2 < 7.
.conflict a(x), b(x) ; c(x).
"#;
    let expected = r#".decl a(x: number)
.decl b(x: number)
.decl c(x: number)
.output a
.output b
@name("both")
a(x) :- c(x), x > 3, _1 = x + 1, !c(_1).
@name("both")
a(x) :- x = 2, x > 3, c(x).
@name("both")
a(x) :- c(x), x < 1, _1 = x + 1, !c(_1).
@name("both")
a(x) :- x = 2, x < 1, c(x).
@name("both")
b(x + 1) :- c(x), x > 3, _1 = x + 1, !c(_1).
@name("both")
b(x + 1) :- x = 2, x > 3, c(x).
@name("both")
b(x + 1) :- c(x), x < 1, _1 = x + 1, !c(_1).
@name("both")
b(x + 1) :- x = 2, x < 1, c(x).
a(x) :- b(x), x != 2, (x + 1) * 2 < 7, b(x).
.conflict a(x), b(x).
.conflict c(x).
"#;
    assert_eq!(rules(text).to_string(), expected);
}

#[test]
fn too_many_are_refused() {
    let text = r#".decl p(x: number)
.output p
p(x) :- (p(x) ; p(0)), (p(x) ; p(1)), (p(x) ; p(2)), (p(x) ; p(3)), (p(x) ; p(4)),
  (p(x) ; p(0)), (p(x) ; p(1)), (p(x) ; p(2)), (p(x) ; p(3)), (p(x) ; p(4)).
"#;
    let expected = r#"error: this stands for too many rules
 --> test.dl:3:10
  |
3 |   p(x) :- (p(x) ; p(0)), (p(x) ; p(1)), (p(x) ; p(2)), (p(x) ; p(3)), (p(x) ; p(4)),
  |  __________^
4 | |   (p(x) ; p(0)), (p(x) ; p(1)), (p(x) ; p(2)), (p(x) ; p(3)), (p(x) ; p(4)).
  | |__________________________________________________________________________^
  |
  = help: give its disjunctions relations of their own
"#;
    assert_eq!(errors(text), expected);
}
