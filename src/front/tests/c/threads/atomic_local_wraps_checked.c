// expect: SAFE
// options: check_overflow
#include <assert.h>
#include <limits.h>
#include <stdatomic.h>
int main(void) {
  _Atomic int x = INT_MAX;
  x++;
  x -= 1;
  assert(x == INT_MAX);
}
