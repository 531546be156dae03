// expect: SAFE
#include <assert.h>
#ifndef REACHED
#define REACHED() ((void)0)
#endif

/* Nothing but the jump leads to these loops. */
int into_while(void)
{
  int n = 0;
  goto in;
  while (n < 5) { n += 10; in: n++; }
  return n;
}

int into_do(void)
{
  int n = 0;
  goto in;
  do { n += 2; in: n++; } while (n < 5);
  return n;
}

int into_for(void)
{
  int n = 0, k;
  goto in;
  for (k = 7; k < 3; k++) { n += 10; if (0) { in: k = 1; } n++; }
  return n;
}

int case_in_loop(int n)
{
  switch (n) {
    while (n < 5) { n += 2; case 0: n++; }
  }
  return n;
}

/* How control comes to the statement decides about m. */
int in_loop(int jump)
{
  int n = 0, m = 1;
  if (jump) { m = 2; goto in; }
  m = 3;
  while (n < 5) { n += 10; in: n++; }
  return m;
}

int in_do(int jump)
{
  int n = 0, m = 1;
  if (jump) { m = 2; goto in; }
  m = 3;
  do { n += 10; in: n++; } while (n < 5);
  return m;
}

int in_block_once(int jump)
{
  int n = 0, m = 1;
  if (jump) { m = 2; goto in; }
  m = 3;
  do { if (n) { in: break; } } while (0);
  return m;
}

int in_switch(int jump)
{
  int n = 0, m = 1;
  if (jump) { m = 2; goto in; }
  m = 3;
  switch (n) { case 0: n += 10; break; in: n++; }
  return m;
}

int in_array(int jump)
{
  int n = 0, m[1] = { 1 };
  if (jump) { m[0] = 2; goto in; }
  m[0] = 3;
  while (n < 5) { n += 10; in: n++; }
  return m[0];
}

int by_case(int n)
{
  int m = 1;
  switch (n) {
  case 2:
    m = 3;
    while (n < 7) { n += 10; case 5: n++; }
  }
  return m;
}

int zero;

int main(void)
{
  assert(into_while() == 12);
  assert(into_do() == 7);
  assert(into_for() == 12);
  assert(case_in_loop(zero) == 7);
  assert(in_loop(!zero) == 2 && in_loop(zero) == 3);
  assert(in_do(!zero) == 2 && in_do(zero) == 3);
  assert(in_block_once(!zero) == 2 && in_block_once(zero) == 3);
  assert(in_switch(!zero) == 2 && in_switch(zero) == 3);
  assert(in_array(!zero) == 2 && in_array(zero) == 3);
  assert(by_case(zero + 5) == 1 && by_case(zero + 2) == 3);
  REACHED();
  return 0;
}
