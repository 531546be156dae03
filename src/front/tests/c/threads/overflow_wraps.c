// expect: SAFE
#include <assert.h>
#include <limits.h>
int x = INT_MAX;
int main(void) { x++; assert(x == INT_MIN); }
