// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
void *f(void *a) { *(int *)a = 7; return 0; }
int main(void) {
  pthread_t t;
  int local = 0, quiet = 0;
  int *p = &quiet;
  *p = 3;
  pthread_create(&t, 0, f, &local);
  assert(quiet == 3);
  assert(local == 0);
}
