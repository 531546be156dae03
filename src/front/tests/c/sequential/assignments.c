// expect: SAFE
#include <assert.h>
#ifndef REACHED
#define REACHED() ((void)0)
#endif

struct pair { int a, b; };
struct pair next(struct pair p) { p.a++; return p; }
int same(int x) { return x; }

int main(void)
{
  int x = 3, y;
  y = (x = x + 1);
  assert(x == 4 && y == 4);
  y = x += x;
  assert(x == 8 && y == 8);
  int c = 0, turns = 0;
  while ((c = c + 1) < 5) turns++;
  assert(c == 5 && turns == 4);
  unsigned char narrow;
  y = (narrow = 300);
  assert(y == 44);
  struct pair p = { 1, 2 }, q;
  q = (p = next(p));
  assert(p.a == 2 && q.a == 2);
  int i = 3, a[4] = { 0 };
  a[i = i - 1] = 9;
  assert(i == 2 && a[2] == 9);
  y = (x = x ^ 1) ? (x = x + 1) : (x = x - 1);
  assert(y == x && x == 10);
  y = same(x = x * 2) + 1;
  assert(x == 20 && y == 21);
  i = 0;
  int up[3] = { ++i, ++i, ++i }, down[3] = { i--, i--, i-- };
  assert(up[0] == 1 && up[1] == 2 && up[2] == 3);
  assert(down[0] == 3 && down[1] == 2 && down[2] == 1);
  int *w = a;
  *w++ = 5;
  *++w = 6;
  assert(w == a + 2 && a[0] == 5 && a[2] == 6);
  REACHED();
  return 0;
}
