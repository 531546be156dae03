// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
char place[sizeof(int *)];
int ready;
void *f(void *unused) {
  int *p;
  if (!ready) return 0;
  for (int i = 0; i < sizeof p; i++) ((char *)&p)[i] = place[i];
  *p = 1;
  return 0;
}
int main(void) {
  int local = 0;
  int *p = &local;
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  for (int i = 0; i < sizeof p; i++) place[i] = ((char *)&p)[i];
  ready = 1;
  assert(local == 0);
  pthread_join(t, 0);
}
