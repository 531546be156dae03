// expect: UNSAFE
#include <stdio.h>
#include <stdlib.h>
#include <assert.h>
int main(void) {
  unsigned seed = 7;
  int n = 0;
  rand_r(&seed);
  scanf("%d", &n);
  assert(seed == 7 || n == 0);
}
