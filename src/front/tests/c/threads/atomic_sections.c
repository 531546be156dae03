// expect: SAFE
#include <pthread.h>
#include <assert.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int a, b;
void __VERIFIER_atomic_both(int *p, int *q) { *p = *p + 1; *q = *q + 1; }
void *f(void *x) {
  __VERIFIER_atomic_begin();
  a++; b++;
  __VERIFIER_atomic_end();
  __VERIFIER_atomic_both(&a, &b);
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);
  __VERIFIER_atomic_begin();
  assert(a == b);
  if (a > 2) assert(b > 2);
  __VERIFIER_atomic_end();
  pthread_join(t, 0); pthread_join(u, 0);
  assert(a == 4 && b == 4);
}
