// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);
int a, b;
void *f(void *x) { __VERIFIER_atomic_begin(); a++; b++; __VERIFIER_atomic_end(); return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  assert(a == b);
}
