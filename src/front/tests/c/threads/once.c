// expect: SAFE
#include <pthread.h>
#include <assert.h>
pthread_once_t o = PTHREAD_ONCE_INIT;
int initialised;
void init(void) { initialised++; }
void *f(void *a) { pthread_once(&o, init); assert(initialised == 1); return 0; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);
  f(0);
}
