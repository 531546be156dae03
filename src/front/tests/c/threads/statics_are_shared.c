// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
int count(void) { static int n; n++; return n; }
void *f(void *unused) { count(); return 0; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);
  pthread_join(t, 0); pthread_join(u, 0);
  assert(count() == 3);
}
