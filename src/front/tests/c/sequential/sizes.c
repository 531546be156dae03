// expect: SAFE
#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifndef REACHED
#define REACHED() ((void)0)
#endif

struct mixed { char c; int i; char d; long long l; short s; };
struct nested { char c; struct { short s; char t; } in[3]; double unused; };
union both { char c[5]; int i; };
typedef struct { unsigned a : 5; unsigned b : 30; char c; } fields;
struct __attribute__((packed)) tight_later { int x; };
struct tight { char c; int i; } __attribute__((packed));
enum small { A, B };
typedef int (*callback)(int);

int main(void)
{
  assert(sizeof(char) == 1 && sizeof(short) == 2 && sizeof(int) == 4 && sizeof(long long) == 8);
  assert(sizeof(long) == sizeof(void *) && sizeof(size_t) == sizeof(void *));
  assert(sizeof(struct mixed) == 32 && offsetof(struct mixed, d) == 8 && offsetof(struct mixed, l) == 16);
  assert(sizeof(struct nested) == 24 && offsetof(struct nested, in) == 2 && offsetof(struct nested, unused) == 16);
  assert(sizeof(union both) == 8);
  assert(sizeof(fields) == 12);
  assert(sizeof(struct tight) == 5);
  assert(sizeof(enum small) == 4 && sizeof 'a' == 4 && sizeof "abc" == 4 && sizeof(bool) == 1);
  assert(sizeof(callback) == sizeof(void *) && _Alignof(struct mixed) == 8);
  assert(INT_MAX == 2147483647 && INT_MIN < 0 && UINT_MAX == 4294967295u);
  assert((uint8_t)300 == 44 && (int8_t)200 == -56 && UINT64_MAX == ~0ULL);
  assert(SIZE_MAX == (size_t)-1 && LONG_MIN == -LONG_MAX - 1);
  int array[7];
  assert(sizeof array / sizeof array[0] == 7);
  bool flag = 5;
  assert(flag == true && flag + flag == 2 && !flag == false);
  unsigned u = -1;
  assert(u > 0 && -1 > 0u && (unsigned char)u == 255);
  assert((1 ? -1 : 0u) > 0);
  typeof(u) v = 3;
  __typeof__(array[0]) w = v;
  assert(_Generic(w, int: 1, default: 2) == 1 && _Generic(u, int: 1, unsigned: 2, default: 3) == 2);
  assert('\x41' == 'A' && '\101' == 65 && '\n' == 10 && '\\' == 92 && '\xff' == -1);
  assert("a\tb"[1] == 9 && sizeof("x" "y") == 3);
  assert(010 == 8 && 0b101 == 5 && 0xffu == 255);
  assert(1 << 3 | 1 == 1 && (7 & 3) == 3 && 7 / -2 == -3 && 7 % -2 == 1 && -7 / 2 == -3);
  assert(-1 >> 1 == -1 && (unsigned)-1 >> 31 == 1);
  REACHED();
  return 0;
}
