// expect: UNSAFE
#include <stdatomic.h>
#include <assert.h>
atomic_int n;
int main(void) { int e = 0; assert(atomic_compare_exchange_weak(&n, &e, 1)); }
