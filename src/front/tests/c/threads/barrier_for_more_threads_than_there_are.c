// expect: SAFE
#include <pthread.h>
#include <assert.h>
pthread_barrier_t b;
int main(void) {
  pthread_barrier_init(&b, 0, 257);
  pthread_barrier_wait(&b);
  assert(0);
}
