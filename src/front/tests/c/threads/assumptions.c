// expect: SAFE
// options: range=-3..3
#include <assert.h>
int __VERIFIER_nondet_int(void);
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_assume(int);
void assume_abort_if_not(int c) { if (!c) abort(); }
int main(void) {
  _Bool b = __VERIFIER_nondet_bool();
  char c = b ? 3 : 4;
  __VERIFIER_assume(c == 3);
  assert(b);
  assume_abort_if_not(c != 3);
  assert(0);
}
