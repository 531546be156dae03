// expect: SAFE
#include <assert.h>
int *p;
int main(void) { *p = 1; assert(0); }
