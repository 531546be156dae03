// expect: SAFE
// options: check_memory
#include <pthread.h>
#include <assert.h>
#include <errno.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  pthread_mutexattr_t checked;
  pthread_mutex_t m;
  int use = __VERIFIER_nondet_int();
  pthread_mutexattr_init(&checked);
  pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&m, use ? &checked : 0);
  int status = pthread_mutex_unlock(&m);
  assert(status == (use ? EPERM : 0));
}
