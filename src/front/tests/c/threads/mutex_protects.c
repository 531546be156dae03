// expect: SAFE
#include <pthread.h>
#include <assert.h>
int x;
pthread_mutex_t m;
void *f(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
int main(void) {
  pthread_t t, u;
  pthread_mutex_init(&m, 0);
  pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);
  pthread_join(t, 0); pthread_join(u, 0);
  assert(x == 2);
  pthread_mutex_destroy(&m);
}
