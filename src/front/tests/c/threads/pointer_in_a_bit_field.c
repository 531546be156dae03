// expect: UNSAFE
#include <assert.h>
#include <stdint.h>
int x;
struct { uintptr_t v : 8 * sizeof(uintptr_t); } s;
int main(void) {
  s.v = (uintptr_t)&x;
  *(int *)s.v = 1;
  assert(x == 0);
}
