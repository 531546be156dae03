// expect: SAFE
#include <pthread.h>
#include <assert.h>
int x, y;
void *one(void *a) { x = 1; return 0; }
void *two(void *a) { y = 2; return 0; }
void *never(void *a) { assert(0); return 0; }
void *(*all[])(void *) = { one, two };
int __VERIFIER_nondet_int(void);
int main(void) {
  pthread_t t;
  void *(*chosen)(void *) = never;
  int i = __VERIFIER_nondet_int() != 0;
  chosen = all[i];
  pthread_create(&t, 0, chosen, 0);
  pthread_join(t, 0);
  assert(i ? y == 2 && x == 0 : x == 1 && y == 0);
}
