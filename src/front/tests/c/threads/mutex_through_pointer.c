// expect: SAFE
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
struct account { pthread_mutex_t lock; int balance; } *shared;
void deposit(struct account *a, int amount) {
  pthread_mutex_lock(&a->lock);
  a->balance += amount;
  pthread_mutex_unlock(&a->lock);
}
void *f(void *a) { deposit(shared, 10); return 0; }
int main(void) {
  pthread_t t, u;
  shared = malloc(sizeof *shared);
  shared->balance = 0;
  pthread_mutex_init(&shared->lock, NULL);
  pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);
  pthread_join(t, 0); pthread_join(u, 0);
  assert(shared->balance == 20);
}
