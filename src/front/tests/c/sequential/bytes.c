// expect: SAFE
#include <assert.h>
#include <string.h>
#ifndef REACHED
#define REACHED() ((void)0)
#endif

struct padded { char c; int x; char d; };
union both { int *pointer; char bytes[24]; };
union small { int *pointer; int number; };

int target = 5;

void copy(void *to, const void *from, int size)
{
  char *a = to;
  const char *b = from;
  for (int i = 0; i < size; i++) a[i] = b[i];
}

int main(void)
{
  int *p = &target, *q;
  copy(&q, &p, sizeof p);
  *q = 7;
  assert(target == 7);
  struct padded s = { 1, 2, 3 }, t;
  copy(&t, &s, sizeof s);
  assert(t.c == 1 && t.x == 2 && t.d == 3);
  union both u, v;
  memset(&u, 0, sizeof u);
  u.pointer = &target;
  v = u;
  *v.pointer = 8;
  assert(target == 8);
  union small a, b;
  a.pointer = &target;
  b = a;
  *b.pointer = 9;
  assert(target == 9);
  unsigned long bits = (unsigned long)&target, back = 0;
  for (unsigned i = 0; i < sizeof bits; i++) back |= (bits >> 8 * i & 255) << 8 * i;
  assert(*(int *)back == 9);
  int numbers[2] = { 0x01020304, 5 };
  unsigned char *byte = (unsigned char *)numbers;
  assert(byte[0] == 4 && byte[3] == 1 && byte[4] == 5);
  byte[5] = 1;
  assert(numbers[1] == 0x105);
  REACHED();
  return 0;
}
