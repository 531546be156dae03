// expect: UNSAFE
#include <assert.h>
#include <stdlib.h>
int main(void) { unsigned seed = 7; rand_r(&seed); assert(seed == 7); }
