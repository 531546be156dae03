// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
pthread_barrier_t b;
int before[2];
void *f(void *a) {
  int i = (int)(long)a;
  before[i] = 1;
  pthread_barrier_wait(&b);
  assert(before[1 - i] == 1);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_barrier_init(&b, 0, 1);
  pthread_create(&t, 0, f, (void *)1);
  f(0);
}
