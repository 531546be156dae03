// expect: SAFE
#include <pthread.h>
#include <assert.h>
union { unsigned char bytes[4]; unsigned all; } u;
void *f(void *a) { u.bytes[0] = 1; return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  u.bytes[3] = 2;
  pthread_join(t, 0);
  assert(u.all == 0x02000001);
}
