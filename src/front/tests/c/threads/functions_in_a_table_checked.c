// expect: SAFE
// options: check_memory range=0..1
#include <pthread.h>
#include <assert.h>
int __VERIFIER_nondet_int(void);
int x;
void one(void) { x = 1; }
void two(void) { x = 2; }
void (*table[3])(void) = { one, two };
void *f(void *unused) { x = 3; return 0; }
void *g(void *unused) { x = 4; return 0; }
int main(void) {
  pthread_t t;
  int i = __VERIFIER_nondet_int() != 0;
  table[i]();
  assert(x == i + 1);
  pthread_create(&t, 0, i ? f : g, 0);
  pthread_join(t, 0);
  assert(x == (i ? 3 : 4));
}
