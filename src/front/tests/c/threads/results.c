// expect: SAFE
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
int global;
void *by_return(void *a) { return (void *)((long)a + 1); }
void deep(int *p) { *p = 9; pthread_exit(p); }
void *by_exit(void *a) { deep(a); global = 1; return 0; }
int main(void) {
  pthread_t t, u;
  void *r;
  int *p, x;
  pthread_create(&t, 0, by_return, (void *)41);
  pthread_create(&u, 0, by_exit, &x);
  pthread_join(t, &r);
  assert((long)r == 42);
  pthread_join(u, (void **)&p);
  assert(p == &x && *p == 9 && global == 0);
}
