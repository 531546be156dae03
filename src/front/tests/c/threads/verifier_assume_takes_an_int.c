// expect: SAFE
#include <assert.h>
extern void __VERIFIER_assume(int condition);
long long wide = 0x100000000LL;
int main(void) {
  __VERIFIER_assume(wide);
  assert(0);
}
