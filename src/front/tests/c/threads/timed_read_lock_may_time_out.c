// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int main(void) {
  struct timespec soon = { 1, 0 };
  assert(pthread_rwlock_timedrdlock(&l, &soon) == 0);
}
