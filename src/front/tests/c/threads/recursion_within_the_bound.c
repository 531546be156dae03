// expect: SAFE
// options: recursion=10
#include <assert.h>
int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }
int main(void) { assert(depth(9) == 9); }
