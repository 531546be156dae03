// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
#include <errno.h>
int main(void) {
  pthread_mutexattr_t checked;
  pthread_mutex_t m;
  pthread_mutexattr_init(&checked);
  pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&m, &checked);
  pthread_mutex_lock(&m);
  assert(pthread_mutex_trylock(&m) != EBUSY);
}
