// expect: SAFE
// options: range=-2..3
#include <assert.h>
#include <stdlib.h>
int main(void) {
  unsigned seed = 7;
  assert(rand() >= 0 && random() >= 0 && rand_r(&seed) >= 0);
}
