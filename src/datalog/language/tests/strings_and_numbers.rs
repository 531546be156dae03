//! Constants.

use crate::support::{errors, rules};

#[test]
fn are_written_as_in_souffle() {
    let text = r#".decl p(x: number, s: symbol)
.output p
p(0x1F, "a\"b\\c\n\t\r").  // a comment
p(0b101, "// no comment"). /* a * comment ** */ p(-9223372036854775808, "ü").
p(- (5), ""). p(2 - -3 - (4 - 5), "x"). p(-(2 * 3) % 4 / (1 + 1), "y").
p(?x, _s):-p(?x,_s),?x!=3.p(9223372036854775807,"z").
"#;
    let expected = r#".decl p(x: number, s: symbol)
.output p
p(31, "a\"b\\c\n\t\r").
p(5, "// no comment").
p(-9223372036854775808, "ü").
p(-5, "").
p(2 - -3 - (4 - 5), "x").
p(-(2 * 3) % 4 / (1 + 1), "y").
p(?x, _s) :- p(?x, _s), ?x != 3.
p(9223372036854775807, "z").
"#;
    assert_eq!(rules(text).to_string(), expected);
}

#[test]
fn must_fit_into_64_bits() {
    let text = r#".decl p(x: number)
.output p
p(9223372036854775808).
p(-9223372036854775809).
p(0xFFFFFFFFFFFFFFFF).
"#;
    let expected = r#"error: this number does not fit into 64 bits
 --> test.dl:3:3
  |
3 | p(9223372036854775808).
  |   ^^^^^^^^^^^^^^^^^^^
  |
  = help: numbers go from -9223372036854775808 to 9223372036854775807

error: this number does not fit into 64 bits
 --> test.dl:4:3
  |
4 | p(-9223372036854775809).
  |   ^^^^^^^^^^^^^^^^^^^^
  |
  = help: numbers go from -9223372036854775808 to 9223372036854775807

error: this number does not fit into 64 bits
 --> test.dl:5:3
  |
5 | p(0xFFFFFFFFFFFFFFFF).
  |   ^^^^^^^^^^^^^^^^^^
  |
  = help: numbers go from -9223372036854775808 to 9223372036854775807
"#;
    assert_eq!(errors(text), expected);
}
