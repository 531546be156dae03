// expect: SAFE
#include <assert.h>
#include <stdatomic.h>
int count, a[2] = { 5, 6 }, order;
atomic_int x = 2;
int next(void) { return ++count; }
int *pointer(void) { order = 10 * order + 1; return a; }
int index(void) { order = 10 * order + 2; return 1; }
int expected;
int set(void) { expected = 2; return 3; }
int main(void) {
  assert(!(next() > next()));
  assert(!(next() >= next()));
  assert(next() < next() && next() <= next() && next() - next() == -1);
  assert(pointer()[index()] == 6 && order == 12);
  order = 0;
  assert(index()[pointer()] == 6 && order == 21);
  order = 0;
  assert(*(pointer() + index()) == 6 && order == 12);
  order = 0;
  assert(*(index() + pointer()) == 6 && order == 21);
  order = 0;
  assert(pointer() + 1 > pointer() && order == 11);
  count = 1;
  count += next();
  assert(count == 4);
  assert(atomic_compare_exchange_strong(&x, &expected, set()) && x == 3);
}
