// expect: SAFE
#include <pthread.h>
#include <assert.h>
pthread_spinlock_t s;
int x;
void *f(void *a) { pthread_spin_lock(&s); x++; pthread_spin_unlock(&s); return 0; }
int main(void) {
  pthread_t t;
  pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
  pthread_create(&t, 0, f, 0);
  f(0);
  pthread_join(t, 0);
  assert(x == 2);
}
