// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
void **nowhere;
void *kept;
void **somewhere = &kept;
void *f(void *unused) { return &kept; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, f, 0);
  pthread_create(&u, 0, f, 0);
  pthread_join(t, nowhere);
  pthread_join(u, somewhere);
  assert(kept != &kept);
}
