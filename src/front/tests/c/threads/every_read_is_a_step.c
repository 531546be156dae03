// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
volatile int x;
void *f(void *unused) { x = 1; return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  assert(x == x);
}
