// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
int a[4], i;
void *f(void *x) { i = 2; return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  a[i] = 5;
  pthread_join(t, 0);
  assert(a[0] == 5);
}
