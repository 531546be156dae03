//! A program that keeps pointers in integers of 32 bits has no execution that gets past their use
//! where pointers have 64: it would be called safe, so a warning says what is amiss.

use heddle_front::c::{self, DataModel};

/// What is said of an access in the second line of `main`.
fn warnings(access: &str, data_model: DataModel) -> Vec<String> {
    let text = format!(
        "struct pair {{ int a, b; }} x; int y[3]; int main(void) {{\n\
         unsigned int t = (unsigned int)&x; long all = (long)&x; {access} }}"
    );
    let options = c::Options {
        data_model,
        ..c::Options::default()
    };
    let (_, report) = c::translate("given.i", &text, &options)
        .unwrap_or_else(|report| panic!("{access}: {report}"));
    let messages = report.diagnostics.iter();
    messages
        .map(|diagnostic| {
            let (span, _) = diagnostic.place.as_ref().expect("a warning has a place");
            assert_eq!(report.sources.line_column(*span).0, 2, "{report}");
            assert!(
                report.to_string().contains("--data-model ilp32"),
                "{report}"
            );
            diagnostic.message.clone()
        })
        .collect()
}

#[test]
fn where_pointers_have_more_bits() {
    let message = "an address is accessed here that has lost bits";
    for access in [
        "*(int *)t = 1;",
        "((struct pair *)t)->b = 1;",
        "((int *)t)[1] = 1;",
        "*(char *)(struct pair *)(t + 4) = 1;",
        "*((int *)t + 1) = 1;",
    ] {
        assert_eq!(warnings(access, DataModel::Lp64), [message], "{access}");
        assert_eq!(warnings(access, DataModel::Ilp32), [""; 0], "{access}");
    }
}

#[test]
fn but_not_where_no_bit_is_lost() {
    for access in [
        "*(int *)all = 1;",
        "y[t & 1] = 1;",
        "*(y + (t & 1)) = 1;",
        "void *argument = (void *)t; y[(int)argument & 1] = 1;",
    ] {
        assert_eq!(warnings(access, DataModel::Lp64), [""; 0], "{access}");
    }
}
