// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
int seen[3];
void *f(void *a) { int i = *(int *)a; if (i < 2) seen[i]++; return 0; }
int main(void) {
  pthread_t t[2];
  int i;
  for (i = 0; i < 2; i++) pthread_create(&t[i], 0, f, &i);
  for (i = 0; i < 2; i++) pthread_join(t[i], 0);
  assert(seen[0] == 1 && seen[1] == 1);
}
