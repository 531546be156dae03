// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
int x;
void *f(void *unused) { x = 1; return 0; }
int main(void) {
  pthread_t t;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_create(&t, &attributes, f, 0);
  assert(x == 0);
}
