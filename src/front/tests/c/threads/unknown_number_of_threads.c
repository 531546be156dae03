// expect: SAFE UP TO BOUND 2
// options: max_threads=2
#include <pthread.h>
#include <assert.h>
int x;
void __VERIFIER_atomic_add(void) { x++; assert(x > 0); x--; }
void *f(void *a) { __VERIFIER_atomic_add(); return 0; }
int main(void) {
  pthread_t t;
  while (1) pthread_create(&t, 0, f, 0);
}
