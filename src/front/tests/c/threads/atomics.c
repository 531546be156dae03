// expect: SAFE
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int n;
_Atomic unsigned char small = 250;
atomic_flag lock = ATOMIC_FLAG_INIT;
int x;
void *f(void *a) {
  n++;
  atomic_fetch_add(&n, 2);
  small += 5;
  int old = atomic_load(&n);
  while (!atomic_compare_exchange_weak(&n, &old, old * 1)) ;
  while (atomic_flag_test_and_set(&lock)) ;
  x++;
  atomic_flag_clear(&lock);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  f(0);
  pthread_join(t, 0);
  assert(n == 6 && small == 4 && x == 2);
  assert(atomic_exchange(&n, 9) == 6 && atomic_load_explicit(&n, memory_order_relaxed) == 9);
  int expected = 8;
  assert(!atomic_compare_exchange_strong(&n, &expected, 1) && expected == 9);
  assert(atomic_compare_exchange_strong(&n, &expected, 1) && n == 1);
  assert(atomic_fetch_or(&n, 6) == 1 && n == 7 && atomic_fetch_and(&n, 3) == 7 && n == 3);
  atomic_store_explicit(&n, 5, memory_order_release);
  atomic_thread_fence(memory_order_seq_cst);
  assert(n == 5);
}
