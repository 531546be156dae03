// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *a) { assert(pthread_mutex_trylock(&m) == 0); pthread_mutex_unlock(&m); return 0; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);
}
