// expect: UNSAFE
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
int *p;
void *f(void *a) { ++*p; return 0; }
int main(void) {
  pthread_t t;
  p = malloc(sizeof(int));
  *p = 0;
  pthread_create(&t, 0, f, 0);
  f(0);
  pthread_join(t, 0);
  assert(*p == 2);
}
