// expect: SAFE
#include <pthread.h>
#include <assert.h>
extern void __VERIFIER_assume(int);
char buf[8];
union { long long l[2]; char c[16]; } u;
int ready, local[2];
void *f(void *a) {
  int *number = (int *)buf;
  *number = 0x01020304;
  u.l[1]++;
  ready = 1;
  return 0;
}
int main(void) {
  int *number = (int *)buf;
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  int x = *number;
  assert(x == 0 || x == 0x01020304);
  __VERIFIER_assume(*number == 0x01020304);
  assert(*number == 0x01020304);
  while (u.l[1] == 0) {}
  if (u.l[1] != 1) assert(0);
  pthread_join(t, 0);
  local[u.l[1]] = 3;
  assert(local[1] == 3);
  switch (u.l[1]) {
    case 1: u.l[1] += *number; break;
    default: assert(0);
  }
  u.l[0] = u.l[1];
  assert(u.l[0]++ == 0x01020305);
  assert(u.l[0] == 0x01020306 && u.c[0] == 6);
}
