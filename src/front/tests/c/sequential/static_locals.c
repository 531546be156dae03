// expect: SAFE
#include <assert.h>
#ifndef REACHED
#define REACHED() ((void)0)
#endif

int x = 1;

/* The names in the initialiser of a static variable mean what they mean in its block. */
int next(void)
{
  enum { FIRST = 20 };
  typedef short narrow;
  int local;
  static int x = FIRST;
  static int *p = &x;
  static int sizes[] = { sizeof(narrow), sizeof local };
  static struct { int *to; int more[2]; } all = { &x, { FIRST + 1 } };
  (*p)++;
  assert(*all.to == x && all.more[0] == 21 && all.more[1] == 0);
  return x + sizes[0] + sizes[1];
}

int shadowed(int k)
{
  static int x[3] = { 1, 2, 3 };
  { static int x[3] = { 4, 5, 6 }; static int *p = x + 1; k += *p; }
  static int *p = x + 1;
  return 10 * k + *p;
}

int main(void)
{
  assert(next() == 27);
  assert(next() == 28);
  assert(shadowed(1) == 62);
  assert(x == 1);
  REACHED();
}
