//! What is not supported stops the translation, with the name of the construct and its line.
//! Nothing is dropped silently.

use heddle_front::c;

/// Each text has the construct in its last line but one, followed by the end of `main`.
const UNSUPPORTED: &[(&str, &str)] = &[
    (
        "double x = 0; int main(void) {\nreturn x > 1;",
        "floating point (double) is not supported",
    ),
    (
        "int main(void) {\nreturn 3i != 0;",
        "an imaginary number is not supported",
    ),
    (
        "int _Complex z; int main(void) {\nreturn z != 0;",
        "(_Complex) is not supported",
    ),
    (
        "_Complex double z; int main(void) {\nreturn z != 0;",
        "(_Complex) is not supported",
    ),
    (
        "float _Complex *p; int main(void) {\n*p = 1;",
        "(_Complex) is not supported",
    ),
    (
        "\nenum small { A, B } __attribute__((packed)); int main(void) {",
        "the attribute `packed` of an enumeration is not supported",
    ),
    (
        "int f(int n, ...) {\n__builtin_va_list all;\n return 0; } int main(void) { f(1);",
        "a variable argument list is not supported",
    ),
    (
        "int main(void) { int x;\n__asm__(\"mov $1, %0\" : \"=r\"(x));",
        "assembly with operands",
    ),
    (
        "int setjmp(void *); int main(void) { long p[9];\nsetjmp(p);",
        "`setjmp` is not supported",
    ),
    ("int main(void) {\nfork();", "`fork` is not supported"),
    (
        "int main(void) { int *p;\np = realloc(p, 8);",
        "`realloc` is not supported",
    ),
    (
        "int main(void) {\npthread_cancel(pthread_self());",
        "`pthread_cancel` is not supported",
    ),
    (
        "int main(void) { int t;\nthrd_create(&t, 0, 0);",
        "`thrd_create` is not supported",
    ),
    (
        "int main(void) { char s[4];\nsprintf(s, \"%d\", 1);",
        "`sprintf` is not supported",
    ),
    (
        "int less(const void *a, const void *b); int main(void) { int all[2];\nqsort(all, 2, sizeof(int), less);",
        "`qsort` is not supported",
    ),
    (
        "struct loose { char c; int i; };\n#pragma pack(push, 1)\nint main(void) {",
        "`#pragma pack` is not supported",
    ),
    (
        "int main(void) { char s[4];\nscanf(\"%3s\", s);",
        "reading a text from the input",
    ),
    (
        "void *f(void *p) { return p; } int n; int main(void) { unsigned long t; if (n) goto in;\nwhile (n < 2) { pthread_create(&t, 0, f, 0); in: n++; }",
        "a jump to label `in` inside a loop that creates threads",
    ),
    (
        "int main(void) {\nreturn L\"wide\"[0];",
        "a wide string is not supported",
    ),
    (
        "struct pair { int a, b; };\n_Atomic struct pair p;\nint main(void) {",
        "an atomic structure is not supported",
    ),
    (
        "int *_Atomic p; int main(void) {\n__atomic_fetch_add(&p, 1, 5);",
        "atomic arithmetic on this type",
    ),
    (
        "struct four { char a, b, c, d; } x; int main(void) {\nreturn *(int *)&x;",
        "covers several parts of `x`",
    ),
    (
        "int a[4]; int main(int i, char **v) {\nreturn *(long *)&a[2 * i] > 0;",
        "covers several parts of `a`",
    ),
    (
        "struct flags { unsigned a : 3, b : 5; int x; } f; int main(int i, char **v) {\n\
         return ((char *)&f)[i];",
        "covers several parts of `f`",
    ),
    (
        "struct pair { pthread_mutex_t m; int x; } f; int main(int i, char **v) {\n\
         ((char *)&f)[i] = 0;",
        "covers several parts of `f`",
    ),
    (
        "int __VERIFIER_nondet_int(void); int main(void) {\n\
         return *(int *)(long)__VERIFIER_nondet_int();",
        "a pointer of unknown origin",
    ),
    (
        "int *f(void *); int any(void); int main(void) {\nreturn ((int (*)(void))(long)any())();",
        "a function is called through a pointer of unknown origin",
    ),
    (
        "pthread_t any(void); int main(void) {\npthread_join(any(), 0);",
        "a thread of unknown origin is joined",
    ),
    (
        "void *f(void *); int main(void) { pthread_t t;\npthread_create(&t, 0, f, 0);",
        "the thread function `f` is not defined",
    ),
    (
        "int main(int n, char **v) { int a[n];\nreturn sizeof a;",
        "sizeof of an array without",
    ),
    (
        "typedef int v4 __attribute__((vector_size(16))); v4 x; int main(void) {\nv4 y = x;",
        "a vector is not supported",
    ),
    (
        "void f(int *p); int main(void) {\nint x __attribute__((cleanup(f)));",
        "the attribute `cleanup` is not supported",
    ),
    (
        "int x;\n__attribute__((constructor)) void f(void) { x = 1; }\nint main(void) {",
        "the attribute `constructor` is not supported",
    ),
    (
        "int x; int main(int n, char **v) {\nif (n) __VERIFIER_atomic_begin(); x = n;",
        "whether this is inside an atomic section depends on the path",
    ),
    (
        "int main(int n, char **v) { pthread_key_t k; while (n--) {\npthread_key_create(&k, 0); }",
        "creating thread-specific keys in a loop",
    ),
];

/// Each is called in the second line.
const FUNCTIONS_WITH_A_MEANING: &[&str] = &[
    "pthread_cleanup_push(f, 0)",
    "pthread_cleanup_pop(1)",
    "pthread_mutex_consistent(&m)",
    "sem_close(&x)",
    "__builtin_popcountg(x)",
    "__builtin_clrsb(x)",
    "__builtin_bswap128(x)",
    "__builtin_strlen(\"\")",
    "__builtin_sadd_overflow(x, x, &x)",
    "__sync_fetch_and_max(&x, 1)",
    "__atomic_fetch_max(&x, 1, 5)",
    "atomic_fetch_max(&x, 1)",
    "atomic_inc(&x)",
];

/// What the parser does not know is a syntax error that says so.
const UNKNOWN_TO_THE_PARSER: &[(&str, &str)] = &[
    (
        "int main(void) {\n__int128 x;",
        "128-bit integers are not supported",
    ),
    (
        "int main(void) {\nvoid *p = &&l; l: ;",
        "the address of a label is not supported",
    ),
    (
        "int main(void) {\n__label__ l; l: ;",
        "local labels are not supported",
    ),
    (
        "int main(void) {\nint f(int x) { return x; }",
        "functions inside of functions",
    ),
    (
        "struct s { char c;\n_Alignas(16) int x;\n}; int main(void) {",
        "alignment of a single field is not supported",
    ),
    (
        "int main(void) {\nuint x = 3;",
        "is `uint` a type that is not declared?",
    ),
    (
        "\n__asm__(\".globl x\");\nint main(void) {",
        "assembly outside of functions is not supported",
    ),
];

fn rejection(text: &str) -> (String, Vec<usize>) {
    let text = format!("{text}\n}}\n");
    match c::translate("given.i", &text, &c::Options::default()) {
        Ok(_) => panic!("is accepted: {text}"),
        Err(report) => {
            let line = |d: &heddle_diagnostics::Diagnostic| {
                let (span, _) = d.place.as_ref().expect("a rejection has a place");
                report.sources.line_column(*span).0
            };
            let lines = report.diagnostics.iter().map(line).collect();
            (report.to_string(), lines)
        }
    }
}

#[test]
fn unsupported_constructs_are_named_in_their_line() {
    for (text, message) in UNSUPPORTED {
        let (report, lines) = rejection(text);
        assert!(report.contains(message), "{message}\n{report}");
        assert!(lines.contains(&2), "{lines:?}\n{report}");
    }
}

/// Declared or not, they are not functions that only return some value.
#[test]
fn undefined_functions_with_a_meaning_are_named_in_their_line() {
    for call in FUNCTIONS_WITH_A_MEANING {
        let name = call.split('(').next().unwrap_or(call);
        for declaration in [String::new(), format!("int {name}();")] {
            let text = format!(
                "int x; pthread_mutex_t m; void f(void *); {declaration} int main(void) {{\n{call};"
            );
            let (report, lines) = rejection(&text);
            let message = format!("`{name}` is not supported");
            assert!(report.contains(&message), "{message}\n{report}");
            assert_eq!(lines, [2], "{report}");
        }
    }
}

#[test]
fn functions_with_a_meaning_are_not_called_through_pointers() {
    let (report, lines) = rejection(
        "int pthread_mutex_lock(pthread_mutex_t *); pthread_mutex_t m; int main(void) {\n\
         int (*lock)(pthread_mutex_t *) = pthread_mutex_lock; lock(&m);",
    );
    let message = "calling `pthread_mutex_lock` through a pointer is not supported";
    assert!(report.contains(message), "{report}");
    assert_eq!(lines, [2], "{report}");
}

#[test]
fn a_result_that_is_any_value_is_an_assumption() {
    let assumptions = |body: &str| -> Vec<String> {
        let text = format!(
            "int atoi(const char *); int printf(const char *, ...); int rand(void); int x; \
             int main(void) {{ {body} }}"
        );
        let translated = c::translate("given.i", &text, &c::Options::default());
        let (program, _) = translated.unwrap_or_else(|report| panic!("{report}"));
        let texts = program.assumptions.iter().map(|known| known.text.clone());
        texts.collect()
    };
    for (name, body) in [
        ("atoi", "x = atoi(\"1\");"),
        ("printf", "if (printf(\"\") > 0) x = 1;"),
        ("time", "x = time(0);"),
        ("scanf", "x = scanf(\"%d\", &x);"),
    ] {
        let stated = format!("function `{name}` returns any value");
        assert_eq!(assumptions(body), [stated], "{body}");
    }
    for body in [
        "printf(\"\");",
        "(void)atoi(\"1\");",
        "scanf(\"%d\", &x);",
        "x = rand();",
    ] {
        assert_eq!(assumptions(body), [""; 0], "{body}");
    }
}

#[test]
fn a_body_of_exit_or_abort_that_does_not_count_is_an_assumption() {
    for name in ["exit", "abort"] {
        let text = format!("void {name}(int x) {{ }} int main(void) {{ {name}(1); }}");
        let translated = c::translate("given.i", &text, &c::Options::default());
        let (program, _) = translated.unwrap_or_else(|report| panic!("{report}"));
        let texts: Vec<&str> = program.assumptions.iter().map(|a| &a.text[..]).collect();
        let stated = format!("`{name}` ends the program, whatever its body here does");
        assert_eq!(texts, [stated]);
    }
}

#[test]
fn bit_fields_that_threads_share_are_an_assumption() {
    let noted = |body: &str| -> bool {
        let text = format!(
            "struct {{ unsigned a : 4, b : 4; int c; }} s; void *f(void *p) {{ {body} return p; }} \
             int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0); s.c = 1; }}"
        );
        let translated = c::translate("given.i", &text, &c::Options::default());
        let (program, _) = translated.unwrap_or_else(|report| panic!("{report}"));
        let mut texts = program.assumptions.iter().map(|known| &known.text);
        texts.any(|text| text.contains("bit-fields of one unit"))
    };
    assert!(noted("s.a = 1;"));
    assert!(!noted("s.c = 1;"));
    assert!(!noted("struct { int a : 4, b : 4; } own; own.a = 1;"));
}

#[test]
fn syntax_that_the_parser_does_not_know_is_named() {
    for (text, message) in UNKNOWN_TO_THE_PARSER {
        let (report, lines) = rejection(text);
        assert!(report.contains(message), "{message}\n{report}");
        assert_eq!(lines, [2], "{report}");
    }
}

/// Which of the two counts is nothing to guess. A tentative definition is none.
#[test]
fn what_is_defined_twice_is_shown_where_it_is_for_the_second_time() {
    for (text, message) in [
        (
            "int x; int x = 1;\nint x = 2; int main(void) {",
            "variable `x` is defined twice",
        ),
        (
            "int main(void) { int x = 1;\nint x = 2; { int x; }",
            "`x` is declared twice in one block",
        ),
    ] {
        let (report, lines) = rejection(text);
        assert!(report.contains(message), "{message}\n{report}");
        assert_eq!(lines, [2], "{report}");
    }
}

#[test]
fn a_program_without_main_is_refused() {
    let report = c::translate(
        "given.i",
        "int f(void) { return 1; }",
        &c::Options::default(),
    );
    let report = report.expect_err("there is no main");
    assert!(
        report.to_string().contains("no function `main`"),
        "{report}"
    );
}
