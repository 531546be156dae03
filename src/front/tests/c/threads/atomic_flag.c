// expect: SAFE
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_flag busy = ATOMIC_FLAG_INIT;
int x;
void *f(void *unused) {
  while (atomic_flag_test_and_set(&busy)) ;
  x++;
  atomic_flag_clear(&busy);
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);
  pthread_join(t, 0); pthread_join(u, 0);
  assert(x == 2);
}
