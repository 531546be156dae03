// expect: SAFE
#include <pthread.h>
#include <assert.h>
pthread_mutex_t m, checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
int x;
void twice(void) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }
void *f(void *a) {
  pthread_mutex_lock(&m);
  twice();
  twice();
  assert(pthread_mutex_trylock(&m) == 0);
  pthread_mutex_unlock(&m);
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&m, &attr);
  pthread_create(&t, 0, f, 0);
  f(0);
  pthread_join(t, 0);
  assert(x == 4);
  assert(pthread_mutex_lock(&checked) == 0);
  assert(pthread_mutex_lock(&checked) == 35);
  assert(pthread_mutex_unlock(&checked) == 0 && pthread_mutex_unlock(&checked) == 1);
}
