// expect: SAFE
#include <pthread.h>
#include <assert.h>
#include <errno.h>
pthread_mutex_t m;
void *f(void *unused) {
  assert(pthread_mutex_unlock(&m) == EPERM);
  assert(pthread_mutex_trylock(&m) == EBUSY);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&m, &recursive);
  assert(pthread_mutex_unlock(&m) == EPERM);
  pthread_mutex_lock(&m);
  pthread_create(&t, 0, f, 0);
  pthread_join(t, 0);
  assert(pthread_mutex_unlock(&m) == 0);
}
