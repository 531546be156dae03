// expect: SAFE
#include <pthread.h>
#include <assert.h>
pthread_key_t key;
int runs;
void done(void *value) {
  assert(*(int *)value == 3);
  runs++;
  if (runs == 1) pthread_setspecific(key, value);
}
void *f(void *unused) {
  static int three = 3;
  pthread_setspecific(key, &three);
  pthread_exit(0);
}
int main(void) {
  pthread_t t;
  pthread_key_create(&key, done);
  pthread_create(&t, 0, f, 0);
  pthread_join(t, 0);
  assert(runs == 2);
}
