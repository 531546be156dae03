// expect: SAFE
#include <pthread.h>
#include <semaphore.h>
#include <assert.h>
sem_t items, mutex;
int x;
void *producer(void *a) {
  sem_wait(&mutex); x = 1; sem_post(&mutex);
  sem_post(&items);
  return 0;
}
int main(void) {
  pthread_t t;
  int value;
  sem_init(&items, 0, 0); sem_init(&mutex, 0, 1);
  pthread_create(&t, 0, producer, 0);
  sem_wait(&items);
  assert(x == 1);
  assert(sem_trywait(&items) == -1);
  sem_getvalue(&mutex, &value);
  assert(value == 1);
}
