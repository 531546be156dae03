// expect: SAFE
#include <pthread.h>
#include <assert.h>
pthread_spinlock_t s;
int x;
void *f(void *unused) {
  if (pthread_spin_trylock(&s) == 0) { int old = x; x = old + 1; assert(x == old + 1); pthread_spin_unlock(&s); }
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_spin_init(&s, 0);
  pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);
  pthread_join(t, 0); pthread_join(u, 0);
  assert(x >= 1 && x <= 2);
  pthread_spin_destroy(&s);
}
