// expect: SAFE
#include <assert.h>
#include <stdio.h>
#ifndef REACHED
#define REACHED() ((void)0)
#endif

static int counter(void) { static int n = 5; return n++; }
int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
int even(unsigned n);
int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
int old_style(a, b) int a; char b; { return a + b; }
static inline long widen(int x) { return x; }
void nothing(void) { return; }
unsigned char narrow(int x) { return x; }
int early(int x) { if (x < 0) return -1; if (x == 0) return 0; return 1; }
void output(int *result, int value) { *result = value; }

int main(void)
{
  assert(counter() == 5 && counter() == 6);
  assert(counter() + counter() == 15);
  assert(factorial(4) == 24);
  assert(even(4) && odd(3) && !even(3));
  assert(old_style(1, 'a') == 98);
  assert(widen(-1) == -1L);
  assert(narrow(300) == 44);
  assert(early(-5) == -1 && early(0) == 0 && early(9) == 1);
  int r;
  output(&r, 42);
  assert(r == 42);
  nothing();
  printf("%d %s\n", r, "text");
  assert(sizeof(factorial(3)) == 4 && __func__[0] == 'm');
  REACHED();
  return 0;
}
