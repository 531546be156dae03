// expect: SAFE
#include <pthread.h>
#include <assert.h>
pthread_barrier_t b;
int before[2], serial;
void *f(void *a) {
  int i = (int)(long)a;
  before[i] = 1;
  int r = pthread_barrier_wait(&b);
  assert(before[1 - i] == 1);
  if (r == PTHREAD_BARRIER_SERIAL_THREAD) serial++;
  pthread_barrier_wait(&b);
  assert(serial == 1);
  return 0;
}
int main(void) {
  pthread_t t[2];
  pthread_barrier_init(&b, 0, 2);
  for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, f, (void *)i);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}
