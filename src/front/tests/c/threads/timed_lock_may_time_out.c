// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void) {
  struct timespec soon = { 1, 0 };
  assert(pthread_mutex_timedlock(&m, &soon) == 0);
}
