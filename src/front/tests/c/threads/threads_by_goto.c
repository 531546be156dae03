// expect: UNSAFE
// options: max_threads=2
#include <pthread.h>
#include <assert.h>
int x;
void *f(void *a) { int t = x; x = t + 1; assert(x != 2); return 0; }
int main(void) {
  pthread_t t;
again:
  pthread_create(&t, 0, f, 0);
  goto again;
}
