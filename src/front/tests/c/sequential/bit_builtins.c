// expect: SAFE
#include <assert.h>
#include <limits.h>
#include <stdint.h>
#include <strings.h>
#ifndef REACHED
#define REACHED() ((void)0)
#endif

int calls;
int next(void) { return ++calls; }

int table[__builtin_popcount(0xf0f0)];
static const int places = __builtin_ctz(64) + __builtin_clzll(1);
enum { SWAPPED = __builtin_bswap16(0x0102) };

int main(void)
{
  unsigned u = 0x80000101;
  unsigned long long w = 0x0123456789abcdefULL;
  signed char minus_one = -1;
  _Bool yes = 1;
  assert(__builtin_popcount(0) == 0 && __builtin_popcount(u) == 3);
  assert(__builtin_popcount(UINT_MAX) == 32 && __builtin_popcount(minus_one) == 32);
  assert(__builtin_popcountll(w) == 32 && __builtin_popcountll(minus_one) == 64);
  assert(__builtin_popcountl(ULONG_MAX) == 8 * sizeof(long));
  assert(__builtin_popcount(w) == 20 && __builtin_popcount(yes) == 1);
  assert(__builtin_parity(0) == 0 && __builtin_parity(u) == 1);
  assert(__builtin_parityl(3) == 0 && __builtin_parityll(w << 60) == 0);
  assert(__builtin_ctz(u) == 0 && __builtin_ctz(INT_MIN) == 31 && __builtin_ctz(40) == 3);
  assert(__builtin_ctzl(1UL << 31) == 31 && __builtin_ctzll(w << 60) == 60);
  assert(__builtin_clz(u) == 0 && __builtin_clz(1) == 31 && __builtin_clz(yes) == 31);
  assert(__builtin_clzl(1) == 8 * sizeof(long) - 1 && __builtin_clzll(w) == 7);
  assert(__builtin_ffs(0) == 0 && __builtin_ffs(1) == 1 && __builtin_ffs(INT_MIN) == 32);
  assert(__builtin_ffsl(0) == 0 && __builtin_ffsll(LLONG_MIN) == 64 && __builtin_ffsll(w) == 1);
  assert(ffs(u) == 1 && ffs(24) == 4 && ffs(0) == 0);
  assert(__builtin_bswap16(0x1234) == 0x3412 && __builtin_bswap16(0x123456) == 0x5634);
  assert(__builtin_bswap32(u) == 0x01010080 && __builtin_bswap32(-2) == 0xfeffffff);
  assert(__builtin_bswap64(w) == 0xefcdab8967452301ULL);
  assert(__builtin_bswap64(__builtin_bswap64(w)) == w && __builtin_bswap64(1) == 1ULL << 56);
  assert(sizeof __builtin_bswap16(1) == 2 && sizeof __builtin_bswap64(1) == 8);
  assert(_Generic(__builtin_bswap64(1), uint64_t: 1, default: 0));
  assert(_Generic(__builtin_bswap16(1), uint16_t: 1, default: 0));
  assert(_Generic(__builtin_popcountll(1), int: 1, default: 0));
  assert(__builtin_popcount(next()) == 1 && __builtin_ctz(next()) == 1 && calls == 2);
  assert(sizeof table == 8 * sizeof(int) && places == 69 && SWAPPED == 0x0201);
  // The result for zero is not looked at.
  for (unsigned i = 0; i < 3; i++) {
    int zeros = __builtin_clz(i);
    if (i)
      assert(zeros == 32 - (int)i);
  }
  switch (__builtin_popcount(7)) {
  case __builtin_ffs(4): break;
  default: assert(0);
  }
  REACHED();
  return 0;
}
