// expect: SAFE
#include <pthread.h>
#include <assert.h>
pthread_t leader;
void *f(void *unused) {
  pthread_join(leader, 0);
  assert(0);
  return 0;
}
int main(void) {
  pthread_t t;
  leader = pthread_self();
  pthread_create(&t, 0, f, 0);
  return 0;
}
