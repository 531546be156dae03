// expect: SAFE
#include <pthread.h>
#include <errno.h>
#include <assert.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int inside, skipped;
void *f(void *a) {
  int r = pthread_mutex_trylock(&m);
  if (r == 0) { inside++; assert(inside == 1); inside--; pthread_mutex_unlock(&m); }
  else { assert(r == EBUSY); skipped = 1; }
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);
  pthread_join(t, 0); pthread_join(u, 0);
}
