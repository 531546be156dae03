// expect: SAFE
#include <pthread.h>
#include <assert.h>
pthread_t self;
void *f(void *a) { self = pthread_self(); return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  pthread_join(t, 0);
  assert(pthread_equal(self, t) && !pthread_equal(pthread_self(), t));
}
