// expect: SAFE
// options: range=2147483646..2147483650
#include <assert.h>
#include <stdlib.h>
int main(void) { assert(random() <= RAND_MAX); }
