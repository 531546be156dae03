// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
pthread_rwlock_t l;
int inside;
void *reader(void *x) {
  pthread_rwlock_rdlock(&l); inside++; assert(inside == 1); inside--; pthread_rwlock_unlock(&l);
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_rwlock_init(&l, 0);
  pthread_create(&t, 0, reader, 0); pthread_create(&u, 0, reader, 0);
}
