// expect: SAFE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <assert.h>
sem_t s;
void *f(void *unused) { errno = EINVAL; return 0; }
int main(void) {
  pthread_t t;
  sem_init(&s, 0, 1);
  errno = 0;
  pthread_create(&t, 0, f, 0);
  assert(sem_trywait(&s) == 0 && errno == 0);
  assert(sem_trywait(&s) == -1 && errno == EAGAIN);
  pthread_join(t, 0);
  assert(errno == EAGAIN);
}
