// expect: SAFE
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
int x, y, a, b;
void *f(void *unused) { x = 1; __sync_synchronize(); a = y; return 0; }
void *g(void *unused) { y = 1; atomic_thread_fence(memory_order_seq_cst); b = x; return 0; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0);
  pthread_join(t, 0); pthread_join(u, 0);
  assert(a || b);
}
