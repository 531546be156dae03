// expect: UNSAFE
#include <assert.h>
int __VERIFIER_nondet_int();
unsigned char __VERIFIER_nondet_uchar();
int main(void) {
  int x = __VERIFIER_nondet_int();
  unsigned char y = __VERIFIER_nondet_uchar();
  assert(x != -1 || y != 254);
}
