// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
pthread_t leader;
int x;
void *f(void *unused) {
  void *result;
  pthread_join(leader, &result);
  assert((long)result != 7 || x != 1);
  return 0;
}
int main(void) {
  pthread_t t;
  leader = pthread_self();
  pthread_create(&t, 0, f, 0);
  x = 1;
  pthread_exit((void *)7);
}
