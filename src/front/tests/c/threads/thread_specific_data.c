// expect: SAFE
#include <pthread.h>
#include <assert.h>
pthread_key_t key;
int destroyed;
void destroy(void *value) { if (value) destroyed++; }
void *f(void *a) {
  assert(pthread_getspecific(key) == 0);
  pthread_setspecific(key, a);
  assert(pthread_getspecific(key) == a);
  return 0;
}
int main(void) {
  pthread_t t;
  int x, y;
  pthread_key_create(&key, destroy);
  pthread_setspecific(key, &x);
  pthread_create(&t, 0, f, &y);
  pthread_join(t, 0);
  assert(pthread_getspecific(key) == &x);
  assert(destroyed == 1);
}
