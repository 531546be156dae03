// expect: UNSAFE
// options: check_overflow
#include <limits.h>
int x = INT_MAX;
int main(void) { x++; return 0; }
