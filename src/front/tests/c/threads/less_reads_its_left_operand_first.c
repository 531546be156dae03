// expect: SAFE
#include <pthread.h>
#include <assert.h>
int g = 1;
void *t(void *a) { g = 0; return 0; }
int main(void) {
  pthread_t x;
  pthread_create(&x, 0, t, 0);
  assert(!(g < g));
}
