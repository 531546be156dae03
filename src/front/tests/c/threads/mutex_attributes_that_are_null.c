// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
int use;
pthread_mutexattr_t checked;
int main(void) {
  pthread_mutex_t m;
  pthread_mutexattr_init(&checked);
  pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&m, use ? &checked : 0);
  assert(0);
}
