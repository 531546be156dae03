// expect: SAFE
#include <assert.h>
union { int whole; unsigned char bytes[4]; } u;
int x;
void __VERIFIER_atomic_write(int at) {
  u.whole = 0x0101;
  u.bytes[at] = 0;
  assert(u.whole == 1);
  x = 0x0101;
  ((char *)&x)[at] = 0;
  assert(x == 1);
}
int main(void) { __VERIFIER_atomic_write(1); }
