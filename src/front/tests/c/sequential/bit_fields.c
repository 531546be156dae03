// expect: SAFE
#include <assert.h>
#ifndef REACHED
#define REACHED() ((void)0)
#endif

struct flags { unsigned a : 3; int b : 4; unsigned : 0; _Bool c : 1; unsigned long long d : 40; };
struct header { unsigned char version : 4, length : 4; unsigned short port; };

int main(void)
{
  struct flags f = { 9, -3, 2, 1ULL << 39 };
  assert(f.a == 1);
  assert(f.b == -3);
  assert(f.c == 1);
  assert(f.d == 1ULL << 39);
  f.a = 7;
  f.a++;
  assert(f.a == 0);
  f.b = 7;
  assert((f.b += 1) == -8);
  f.d <<= 1;
  assert(f.d == 0);
  struct header h = { .version = 4, .length = 5, .port = 8080 };
  h.length = h.version + 20;
  assert(h.length == 8 && h.version == 4 && h.port == 8080);
  assert(sizeof(struct header) == 4);
  struct header g = h;
  assert(g.length == 8);
  int x = (f.a = 13);
  assert(x == 5);
  /* A bit-field that int can represent is promoted to int, though it is unsigned. */
  f.a = 1;
  assert(f.a - 2 < 0 && -1 < f.a);
  f.a = 6;
  f.a /= -2;
  assert(f.a == 5);
  REACHED();
  return 0;
}
