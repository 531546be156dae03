// expect: SAFE
#include <assert.h>
#include <limits.h>
#ifndef REACHED
#define REACHED() ((void)0)
#endif

int calls;
int next(void) { return ++calls; }

int main(void)
{
  int i = 7;
  unsigned u;
  unsigned char c;
  long long l;
  unsigned long long w, big = ULLONG_MAX;
  long long least = LLONG_MIN;
  assert(!__builtin_add_overflow(3, 4, &i) && i == 7);
  assert(__builtin_add_overflow(INT_MAX, 1, &i) && i == INT_MIN);
  assert(__builtin_add_overflow(i, -1, &i) && i == INT_MAX);
  assert(!__builtin_add_overflow(UINT_MAX, -1, &u) && u == UINT_MAX - 1);
  assert(__builtin_sub_overflow(0, 1, &u) && u == UINT_MAX);
  assert(!__builtin_sub_overflow(0u, 1u, &i) && i == -1);
  assert(__builtin_sub_overflow(0u, 1u, &big) && big == ULLONG_MAX);
  assert(__builtin_mul_overflow(16, 17, &c) && c == 16);
  assert(!__builtin_mul_overflow(16, 15, &c) && c == 240);
  assert(__builtin_mul_overflow(big, big, &w) && w == 1);
  assert(__builtin_mul_overflow(big, big, &l) && l == 1);
  assert(__builtin_mul_overflow(big, least, &l) && l == least);
  assert(__builtin_mul_overflow(least, least, &w) && w == 0);
  assert(!__builtin_mul_overflow(least, 1, &l) && l == least);
  assert(__builtin_mul_overflow(least, -1, &w) == 0 && w == 1ULL << 63);
  assert(__builtin_add_overflow(big, 1, &l) && l == 0);
  assert(!__builtin_add_overflow(big, least, &l) && l == LLONG_MAX);
  assert(!__builtin_add_overflow((_Bool)1, (char)-1, &c) && c == 0);
  int values[3] = { 0 }, *p = values;
  assert(!__builtin_add_overflow(next(), next(), &values[next() - 2]));
  assert(values[1] == 3 && calls == 3);
  assert(!__builtin_sub_overflow(*p, 5, p) && values[0] == -5);
  REACHED();
  return 0;
}
