// expect: UNSAFE
// options: range=-2..40
#include <assert.h>
unsigned x;
int main(void) { assert(__builtin_ctz(x) != 32 || __builtin_clz(x) != -1); }
