// expect: SAFE
#include <assert.h>
long long wide = 0x100000000LL;
int main(void) {
  assert(wide);
  assert(sizeof(__builtin_expect((char)1, 1)) == sizeof(long));
  assert(__builtin_expect(-1, 1) < 0);
  if (!__builtin_expect(wide != 0, 1)) assert(0);
}
