// expect: SAFE
#include <pthread.h>
#include <assert.h>
int x;
void *f(void *unused) { __sync_fetch_and_add(&x, 1); return 0; }
int main(void) {
  pthread_t t[6];
  int i = 0;
  while (1) {
    if (i == 6) break;
    pthread_create(&t[i], 0, f, 0);
    i++;
  }
  for (i = 0; i < 6; i++) pthread_join(t[i], 0);
  assert(x == 6);
}
