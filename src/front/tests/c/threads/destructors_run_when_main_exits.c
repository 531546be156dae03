// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
pthread_key_t key;
void done(void *value) { assert(*(int *)value == 0); }
int main(void) {
  static int one = 1;
  pthread_key_create(&key, done);
  pthread_setspecific(key, &one);
  pthread_exit(0);
}
