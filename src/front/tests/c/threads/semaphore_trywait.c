// expect: SAFE
#include <pthread.h>
#include <semaphore.h>
#include <assert.h>
sem_t s;
int inside;
void *f(void *unused) {
  if (sem_trywait(&s) == 0) { inside++; assert(inside == 1); inside--; sem_post(&s); }
  return 0;
}
int main(void) {
  pthread_t t, u;
  sem_init(&s, 0, 1);
  pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);
  pthread_join(t, 0); pthread_join(u, 0);
  int left;
  sem_getvalue(&s, &left);
  assert(left == 1);
  sem_destroy(&s);
}
