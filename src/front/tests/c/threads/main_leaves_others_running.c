// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
int x;
void *f(void *a) { if (x) assert(0); return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  x = 1;
  pthread_exit(0);
}
