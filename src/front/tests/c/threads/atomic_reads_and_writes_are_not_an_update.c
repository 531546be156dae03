// expect: UNSAFE
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int n;
void *f(void *a) { n = n + 1; return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  f(0);
  pthread_join(t, 0);
  assert(n == 2);
}
