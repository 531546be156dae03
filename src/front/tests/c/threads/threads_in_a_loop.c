// expect: SAFE
#include <pthread.h>
#include <assert.h>
#define N 3
int results[N];
void *f(void *a) { long i = (long)a; results[i] = (int)i * 10; return 0; }
int main(void) {
  pthread_t t[N];
  long i;
  int sum = 0;
  for (i = 0; i < N; i++) pthread_create(&t[i], 0, f, (void *)i);
  for (i = 0; i < N; i++) pthread_join(t[i], 0);
  for (i = 0; i < N; i++) sum += results[i];
  assert(sum == 30);
}
