// expect: SAFE
#include <pthread.h>
#include <assert.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
struct timespec soon;
int a, b;
void *writer(void *x) {
  if (pthread_rwlock_timedwrlock(&l, &soon) == 0) { a++; b++; pthread_rwlock_unlock(&l); }
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  if (pthread_rwlock_timedrdlock(&l, &soon) == 0) { assert(a == b); pthread_rwlock_unlock(&l); }
}
