//! One message for each broken item, and the rest is still read.

use crate::support::errors;

#[test]
fn in_declarations() {
    let text = r#".decl p(x number)
.decl q(x: number
.decl (x: number)
.decl r(x: number) brie
.decl s(x: number) choice order(p)
.type T = A | B
.type U
.include
.conflict
.decl t(x: number).
.output p, q, r, s
t(1) :- p(1), q(1), r(1), s(1).
"#;
    let expected = r#"error: expected `:`, found `number`
 --> test.dl:1:11
  |
1 | .decl p(x number)
  |           ^^^^^^
  |
  = help: a column has a type, such as `x: symbol`

error: expected `,` or `)`
 --> test.dl:2:18
  |
2 | .decl q(x: number
  |                  ^

error: expected the relation's name, found `(`
 --> test.dl:3:7
  |
3 | .decl (x: number)
  |       ^

error: unknown qualifier `brie`
 --> test.dl:4:20
  |
4 | .decl r(x: number) brie
  |                    ^^^^
  |
  = help: a relation may be `choice` or `order(event, executed)`

error: a relation has at most one qualifier
 --> test.dl:5:27
  |
5 | .decl s(x: number) choice order(p)
  |                    ------ ^^^^^^^^
  |                    |
  |                    the first one

error: expected `<:`, found `=`
 --> test.dl:6:9
  |
6 | .type T = A | B
  |         ^
  |
  = help: write `.type T <: symbol` or `.type T <: number`; unions and records are not supported

error: expected `<:`
 --> test.dl:7:8
  |
7 | .type U
  |        ^
  |
  = help: write `.type U <: symbol` or `.type U <: number`; unions and records are not supported

error: expected a file name in quotes
 --> test.dl:8:9
  |
8 | .include
  |         ^

error: expected an atom or a comparison
 --> test.dl:9:10
  |
9 | .conflict
  |          ^

error: there is nothing for this `.` to end
  --> test.dl:10:19
   |
10 | .decl t(x: number).
   |                   ^
   |
   = help: rules end with `.`, directives do not
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn in_rules() {
    let text = r#".decl p(x: number) .decl q(x: number)
.output p
p(x) :- q(x) r(x).
p(x) :- q(x), .
p(x) :- q(x.
p(x) q(x).
p(x) :- (q(x) ; p(x).
p(x) : q(x).
p(x) :- x == 1.
p(x) :- q(x), x.
p(x) :- q(x), !x = 1
p(x) :- p(x).
p(x) <- q(x).
:- p(x).
(x) :- p(x).
p(x) :- q(x) ; ; p(x).
p(x) :- q(x)"#;
    let expected = r#"error: expected `,`, `;` or `.`, found `r`
 --> test.dl:3:14
  |
3 | p(x) :- q(x) r(x).
  |              ^

error: expected an atom or a comparison, found `.`
 --> test.dl:4:15
  |
4 | p(x) :- q(x), .
  |               ^

error: expected `,` or `)`, found `.`
 --> test.dl:5:12
  |
5 | p(x) :- q(x.
  |            ^

error: expected `:-`, `,` or `.`, found `q`
 --> test.dl:6:6
  |
6 | p(x) q(x).
  |      ^

error: expected `,`, `;` or `)`, found `.`
 --> test.dl:7:21
  |
7 | p(x) :- (q(x) ; p(x).
  |                     ^

error: expected `:-`, `,` or `.`, found `:`
 --> test.dl:8:6
  |
8 | p(x) : q(x).
  |      ^

error: expected an expression, found `=`
 --> test.dl:9:12
  |
9 | p(x) :- x == 1.
  |            ^
  |
  = help: equality is a single `=`

error: expected a comparison such as `=` or `!=`, found `.`
  --> test.dl:10:16
   |
10 | p(x) :- q(x), x.
   |                ^

error: this rule does not end
  --> test.dl:11:21
   |
11 | p(x) :- q(x), !x = 1
   |                     ^
   |
   = help: end it with `.`

error: expected `:-`, `,` or `.`, found `<`
  --> test.dl:13:6
   |
13 | p(x) <- q(x).
   |      ^

error: expected a rule or a directive such as `.decl`, found `:-`
  --> test.dl:14:1
   |
14 | :- p(x).
   | ^^
   |
   = help: what must never hold is written `.conflict body`

error: expected a rule or a directive such as `.decl`, found `(`
  --> test.dl:15:1
   |
15 | (x) :- p(x).
   | ^

error: expected an atom or a comparison, found `;`
  --> test.dl:16:16
   |
16 | p(x) :- q(x) ; ; p(x).
   |                ^

error: this rule does not end
  --> test.dl:17:13
   |
17 | p(x) :- q(x)
   |             ^
   |
   = help: end it with `.`
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn in_tokens() {
    let text = r#".decl p(x: number, s: symbol)
.output p
p(1.5, "a").
p(12ab, "a").
p(99999999999999999999, "a").
p(1, "a
p(2, "\q").
p(3, "a") && p(4, "b").
p(4, ünïcode).
#include "other.dl"
p(5, "b"). /* not closed
p(6, "c").
"#;
    let expected = r#"error: `1.5` is not a whole number
 --> test.dl:3:3
  |
3 | p(1.5, "a").
  |   ^^^
  |
  = help: numbers are 64-bit integers

error: `12ab` is not a number
 --> test.dl:4:3
  |
4 | p(12ab, "a").
  |   ^^^^
  |
  = help: a name starts with a letter or `_`

error: this number does not fit into 64 bits
 --> test.dl:5:3
  |
5 | p(99999999999999999999, "a").
  |   ^^^^^^^^^^^^^^^^^^^^
  |
  = help: numbers go from -9223372036854775808 to 9223372036854775807

error: this string is not closed
 --> test.dl:6:6
  |
6 | p(1, "a
  |      ^^
  |
  = help: a string ends with `"` on the line where it starts

error: unknown escape in a string
 --> test.dl:7:7
  |
7 | p(2, "\q").
  |       ^^
  |
  = help: the escapes are \" \\ \n \r \t

error: unexpected characters
 --> test.dl:8:11
  |
8 | p(3, "a") && p(4, "b").
  |           ^^
  |
  = help: write `,` for `and`

error: `ünïcode` is not a name
 --> test.dl:9:6
  |
9 | p(4, ünïcode).
  |      ^^^^^^^
  |
  = help: names are made of ASCII letters, digits, `_` and `?`

error: unexpected character `#`
  --> test.dl:10:1
   |
10 | #include "other.dl"
   | ^
   |
   = help: there is no preprocessor; write `.include "file.dl"`

error: this comment is not closed
  --> test.dl:11:12
   |
11 | p(5, "b"). /* not closed
   |            ^^
   |
   = help: it ends with `*/`
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn of_names() {
    let text = r#".decl p(x: number)
.output p
@name p(1).
@nam("a") p(2).
@name("") p(3).
@name("d") .decl q(x: number)
@name("e")
"#;
    let expected = r#"error: expected `(`, found `p`
 --> test.dl:3:7
  |
3 | @name p(1).
  |       ^

error: unknown annotation `@nam`
 --> test.dl:4:1
  |
4 | @nam("a") p(2).
  | ^^^^
  |
  = help: the only annotation is `@name("…")`, before a rule or a `.conflict`

error: a rule's name must not be empty
 --> test.dl:5:7
  |
5 | @name("") p(3).
  |       ^^

error: only a rule or a `.conflict` has a name
 --> test.dl:6:7
  |
6 | @name("d") .decl q(x: number)
  |       ^^^  ----- stands before this
  |       |
  |       this name

error: expected a relation's name, found the end of the file
 --> test.dl:7:11
  |
7 | @name("e")
  |           ^
"#;
    assert_eq!(errors(text), expected);
}
