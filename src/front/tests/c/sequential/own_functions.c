// expect: SAFE
#include <assert.h>
#ifndef REACHED
#define REACHED() ((void)0)
#endif

int x;
void atomic_inc(int *p);
int pthread_own(void);
void trap(void) { x += 10; }
void unreachable(void) { x += 100; }
int expect(int a, int b) { return b; }

int main(void)
{
  atomic_inc(&x);
  assert(x == 1 && pthread_own() == 4);
  trap();
  unreachable();
  assert(x == 111 && expect(1, 2) == 2);
  int (*own)(void) = pthread_own;
  assert(own() == 4);
  REACHED();
  return 0;
}

void atomic_inc(int *p) { ++*p; }
int pthread_own(void) { return 4; }
