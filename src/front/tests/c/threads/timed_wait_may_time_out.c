// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int main(void) {
  struct timespec soon = { 1, 0 };
  pthread_mutex_lock(&m);
  assert(pthread_cond_timedwait(&c, &m, &soon) == 0);
  pthread_mutex_unlock(&m);
}
