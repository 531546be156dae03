// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
char buf[8];
void *f(void *a) { *(int *)buf = 7; return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  assert(*(int *)buf == *(int *)buf);
}
