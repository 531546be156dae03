// expect: SAFE
#include <assert.h>
#ifndef REACHED
#define REACHED() ((void)0)
#endif

typedef int tiny __attribute__((__mode__(__QI__)));
typedef unsigned int wide __attribute__((mode(DI)));
struct __attribute__((packed)) tight { char c; int x; };
struct loose { char c; int x __attribute__((packed)); short s; };
struct spread { char c; int x __attribute__((aligned(16))); };

int main(void)
{
  tiny t = 300;
  wide w = -1;
  assert(t == 44 && sizeof w == 8 && w > 0xffffffffu);
  assert(sizeof(struct tight) == 5 && sizeof(struct loose) == 8 && sizeof(struct spread) == 32);
  struct tight p = { 1, 2 };
  p.x += p.c;
  assert(p.x == 3);
  REACHED();
  return 0;
}
