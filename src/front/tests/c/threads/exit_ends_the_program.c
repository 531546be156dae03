// expect: SAFE
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
int x;
void *f(void *a) { if (x == 0) exit(1); x = 2; return 0; }
int main(void) {
  pthread_t t;
  x = 1;
  pthread_create(&t, 0, f, 0);
  pthread_join(t, 0);
  assert(x == 2);
  if (x == 2) abort();
  assert(0);
}
