// expect: UNSAFE
#include <assert.h>
#include <stdint.h>
int x;
int main(void) {
  int *p = &x;
  intptr_t n = -(intptr_t)p;
  int *q = (int *)-n;
  *q = 1;
  assert(x == 0);
}
