// expect: UNSAFE
#include <assert.h>
#include <stdlib.h>
int main(void) { assert(rand() == rand()); }
