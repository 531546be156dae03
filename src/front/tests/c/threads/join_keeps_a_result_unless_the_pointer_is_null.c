// expect: SAFE
// options: check_memory
#include <pthread.h>
#include <assert.h>
int __VERIFIER_nondet_int(void);
void *f(void *unused) { return (void *)7; }
int main(void) {
  pthread_t t;
  void *result = (void *)3;
  int keep = __VERIFIER_nondet_int();
  pthread_create(&t, 0, f, 0);
  pthread_join(t, keep ? &result : 0);
  assert(result == (void *)(keep ? 7L : 3L));
}
