//! Calls of `__builtin_popcount` and the like.

use super::super::bits::BitFunction;
use super::super::ir::{Action, Value};
use super::super::typed::Expr;
use super::super::types::Type;
use super::Expander;
use heddle_program::TermId;

impl Expander<'_> {
    /// Where gcc leaves the result for zero undefined, it is any value, unless that is checked.
    pub(super) fn bits(&mut self, function: BitFunction, argument: &Expr, ty: &Type) -> Value {
        let value = self.value(argument);
        let result = Value {
            term: function.of(&mut self.terms, value.term),
            sources: match function {
                BitFunction::SwapBytes => value.sources.scrambled(),
                _ => Default::default(),
            },
        };
        if !function.needs_a_one() {
            return result;
        }
        let zero = self.number(&argument.ty, 0).term;
        let is_defined = self.terms.ne(value.term, zero);
        if self.terms.is_true(is_defined) {
            return result;
        }
        if self.options.check_memory {
            let message = "`__builtin_ctz` or `__builtin_clz` of zero".to_owned();
            self.emit(Action::Assert(is_defined, message));
            self.assume(is_defined);
            return result;
        }
        self.or_any(is_defined, result, ty)
    }

    /// The value if a condition holds, and any value if it does not.
    fn or_any(&mut self, condition: TermId, value: Value, ty: &Type) -> Value {
        let result = self.typed_register("choice", ty);
        let (yes, no, end) = (self.node(), self.node(), self.node());
        self.split(condition, yes, no);
        let before = self.before();
        self.continue_at(yes);
        self.set(result, value);
        self.join_branch(end, before, no, |this| {
            let any = this.any(ty);
            this.set(result, any);
        });
        self.read(result, ty)
    }
}
