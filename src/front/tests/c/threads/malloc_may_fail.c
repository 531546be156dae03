// expect: UNSAFE
// options: malloc_may_fail
#include <stdlib.h>
#include <assert.h>
int main(void) { assert(malloc(4)); }
