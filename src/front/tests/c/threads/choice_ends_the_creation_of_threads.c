// expect: UNSAFE
// options: max_threads=2
#include <pthread.h>
#include <assert.h>
int __VERIFIER_nondet_int(void);
int x;
void *f(void *unused) { __sync_fetch_and_add(&x, 1); return 0; }
int main(void) {
  pthread_t t;
  int made = 0;
  while (1) {
    if (__VERIFIER_nondet_int()) break;
    pthread_create(&t, 0, f, 0);
    made++;
  }
  assert(made != 2 || x < 2);
}
