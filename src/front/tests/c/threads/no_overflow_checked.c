// expect: SAFE
// options: check_overflow
#include <limits.h>
int x = INT_MAX; unsigned u = UINT_MAX;
int main(void) { x = x - 1 + 1; u++; x = -x; x = x / 2 * 2; return 0; }
