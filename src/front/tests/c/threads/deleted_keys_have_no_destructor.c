// expect: SAFE
#include <pthread.h>
#include <assert.h>
pthread_key_t key, other;
int value, others;
void wrong(void *unused) { assert(0); }
void right(void *unused) { others++; }
void *f(void *unused) {
  pthread_setspecific(key, &value);
  pthread_setspecific(other, &value);
  pthread_key_delete(key);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_key_create(&key, wrong);
  pthread_key_create(&other, right);
  pthread_create(&t, 0, f, 0);
  pthread_join(t, 0);
  assert(others == 1);
}
