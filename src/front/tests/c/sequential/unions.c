// expect: SAFE
#include <assert.h>
#ifndef REACHED
#define REACHED() ((void)0)
#endif

union word { unsigned u; int i; unsigned char bytes[4]; struct { unsigned short low, high; } halves; };
struct tagged { int tag; union { int number; char letter; void *pointer; } as; };
union large { char text[20]; int numbers[5]; long long wide; };

union word global = { 0x01020304 };

int main(void)
{
  union word w;
  w.u = 0xfffffffe;
  assert(w.i == -2);
  assert(w.bytes[0] == 0xfe && w.bytes[3] == 0xff);
  w.bytes[1] = 0;
  assert(w.u == 0xffff00fe);
  assert(w.halves.low == 0x00fe && w.halves.high == 0xffff);
  w.halves.high = 0x1234;
  assert(w.u == 0x123400fe);
  assert(global.bytes[0] == 4 && global.bytes[3] == 1);
  int i;
  unsigned sum = 0;
  for (i = 0; i < 4; i++) sum += global.bytes[i];
  assert(sum == 10);
  struct tagged t = { 1, { .letter = 'x' } };
  assert(t.as.letter == 'x');
  t.as.number = 1000;
  assert(t.as.letter == (char)1000);
  t.as.pointer = &w;
  assert(((union word *)t.as.pointer)->u == w.u);
  union large big;
  big.numbers[0] = 0x41424344;
  big.numbers[1] = 0x45464748;
  assert(big.text[0] == 'D' && big.text[7] == 'E');
  assert(big.wide == 0x4546474841424344LL);
  big.text[1] = 'z';
  assert(big.numbers[0] == 0x41427a44);
  union word other = w;
  assert(other.u == w.u);
  REACHED();
  return 0;
}
