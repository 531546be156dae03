// expect: SAFE
#include <pthread.h>
#include <assert.h>
__thread int mine = 3;
static _Thread_local int *pointer;
void *f(void *a) { assert(mine == 3); mine++; assert(mine == 4 && !pointer); pointer = &mine; *pointer = 8; assert(mine == 8); return 0; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);
  pthread_join(t, 0); pthread_join(u, 0);
  assert(mine == 3);
  f(0);
}
