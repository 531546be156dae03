// expect: SAFE
#include <stdlib.h>
#include <assert.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n > 1) abort();
  assert(n <= 1);
}
