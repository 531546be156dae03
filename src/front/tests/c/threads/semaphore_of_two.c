// expect: UNSAFE
#include <pthread.h>
#include <semaphore.h>
#include <assert.h>
sem_t s;
int x;
void *f(void *a) { sem_wait(&s); x++; sem_post(&s); return 0; }
int main(void) {
  pthread_t t, u;
  sem_init(&s, 0, 2);
  pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);
  pthread_join(t, 0); pthread_join(u, 0);
  assert(x == 2);
}
