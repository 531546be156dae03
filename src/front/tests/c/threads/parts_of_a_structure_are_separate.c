// expect: SAFE
#include <pthread.h>
#include <assert.h>
struct { int left, right; int cells[2]; } s;
void *f(void *a) { s.left++; s.cells[0]++; return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  s.right++; s.cells[1]++;
  pthread_join(t, 0);
  assert(s.left == 1 && s.right == 1 && s.cells[0] == 1 && s.cells[1] == 1);
}
