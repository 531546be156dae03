// expect: UNSAFE
// options: check_memory
#include <pthread.h>
void nothing(void) {}
void something(void) {}
void (*callback)(void) = nothing;
void *f(void *unused) { callback = 0; return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  callback();
}
