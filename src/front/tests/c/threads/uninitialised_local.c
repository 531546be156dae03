// expect: UNSAFE
#include <assert.h>
int main(void) { int x; assert(x != 2); }
