// expect: SAFE
#include <pthread.h>
#include <assert.h>
#include <errno.h>
pthread_mutex_t m;
void *f(void *x) {
  assert(pthread_mutex_unlock(&m) == EPERM);
  return 0;
}
int main(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  int found;
  pthread_mutexattr_gettype(&kind, &found);
  assert(found == PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&m, &kind);
  pthread_mutexattr_destroy(&kind);
  assert(pthread_mutex_lock(&m) == 0);
  assert(pthread_mutex_lock(&m) == EDEADLK);
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  pthread_join(t, 0);
  assert(pthread_mutex_unlock(&m) == 0);
}
