// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
int x;
pthread_mutex_t m[2];
void *f(void *a) { pthread_mutex_t *own = a; pthread_mutex_lock(own); x++; pthread_mutex_unlock(own); return 0; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, f, &m[0]); pthread_create(&u, 0, f, &m[1]);
  pthread_join(t, 0); pthread_join(u, 0);
  assert(x == 2);
}
