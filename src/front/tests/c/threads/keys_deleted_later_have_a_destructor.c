// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
pthread_key_t key;
int value, runs;
void done(void *unused) { runs++; }
void *f(void *unused) {
  pthread_setspecific(key, &value);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_key_create(&key, done);
  pthread_create(&t, 0, f, 0);
  pthread_join(t, 0);
  pthread_key_delete(key);
  assert(runs == 0);
}
