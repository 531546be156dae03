// expect: SAFE
#include <assert.h>
#ifndef REACHED
#define REACHED() ((void)0)
#endif

int calls;
int yes(void) { calls++; return 1; }
int no(void) { calls++; return 0; }

int classify(int x)
{
  switch (x) {
  case 0: return 10;
  case 1:
    x = 100;
    /* fall through */
  case 2: x++; break;
  case 5 ... 9: return 59;
  default: x = -1;
  }
  return x;
}

int collatz(int n)
{
  int steps = 0;
again:
  if (n == 1) goto done;
  n = n % 2 ? 3 * n + 1 : n / 2;
  steps++;
  goto again;
done:
  return steps;
}

int main(void)
{
  assert(classify(0) == 10 && classify(1) == 101 && classify(2) == 3);
  assert(classify(7) == 59 && classify(4) == -1 && classify(-8) == -1);
  assert(collatz(6) == 8);
  int i, j, found = 0;
  for (i = 0; i < 5; i++) {
    if (i == 1) continue;
    for (j = 0;; j++) {
      if (j > i) break;
      if (i * j == 6) { found = 10 * i + j; goto out; }
    }
  }
out:
  assert(found == 32);
  calls = 0;
  assert((no() && yes()) == 0 && calls == 1);
  assert((yes() || no()) == 1 && calls == 2);
  assert((no() ? 1 : yes() ? 2 : 3) == 2 && calls == 4);
  int x = (calls = 7, calls + 1);
  assert(x == 8);
  do { x--; } while (x > 5);
  assert(x == 5);
  do x = 100; while (0);
  assert(x == 100);
  assert((calls ?: 3) == 7 && (0 ?: 3) == 3);
  int s = ({ int t = 4; t * t; });
  assert(s == 16);
  int k = 0, total = 0;
  while (1) { if (k++ == 4) break; total += k; }
  assert(total == 10 && k == 5);
  int y = x++ + 1;
  assert(y == 101 && x == 101);
  x -= y -= 1;
  assert(x == 1 && y == 100);
  switch (x) { int dead; case 1: dead = 3; x = dead; }
  assert(x == 3);
  if (x) if (!y) x = 1; else x = 2;
  assert(x == 2);
  for (;;) { if (x++ > 4) break; }
  assert(x == 6);
  REACHED();
  return 0;
}
