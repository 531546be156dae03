// expect: SAFE
#include <pthread.h>
#include <assert.h>
int n; long wide; int *slot; int cell;
void *f(void *a) {
  __sync_fetch_and_add(&n, 1);
  __atomic_add_fetch(&wide, 10, __ATOMIC_SEQ_CST);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  f(0);
  pthread_join(t, 0);
  assert(n == 2 && wide == 20);
  assert(__sync_add_and_fetch(&n, 3) == 5 && __sync_fetch_and_sub(&n, 1) == 5 && n == 4);
  assert(__sync_bool_compare_and_swap(&n, 4, 7) && !__sync_bool_compare_and_swap(&n, 4, 8));
  assert(__sync_val_compare_and_swap(&n, 7, 1) == 7 && n == 1);
  assert(__sync_lock_test_and_set(&n, 6) == 1 && n == 6);
  __sync_lock_release(&n);
  assert(n == 0);
  assert(__sync_bool_compare_and_swap(&slot, 0, &cell) && slot == &cell);
  *slot = 3;
  int got, want = 2;
  __atomic_load(&cell, &got, __ATOMIC_RELAXED);
  assert(got == 3);
  assert(!__atomic_compare_exchange_n(&cell, &want, 5, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) && want == 3);
  __atomic_store_n(&cell, 8, __ATOMIC_RELEASE);
  assert(__atomic_exchange_n(&cell, 9, __ATOMIC_ACQ_REL) == 8 && cell == 9);
  assert(__atomic_fetch_nand(&cell, 1, __ATOMIC_SEQ_CST) == 9 && cell == ~1);
  __sync_synchronize();
}
