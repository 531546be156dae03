/* As much of a system as a program needs that prints numbers, without any library. */

void start(void);

static void put(const char *text, int length)
{
#if __x86_64__
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(1L), "D"(1L), "S"(text), "d"((long)length)
                   : "rcx", "r11", "memory");
#else
  int result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(4), "b"(1), "c"(text), "d"(length) : "memory");
#endif
}

static void observe(long long number)
{
  char text[17];
  for (int i = 0; i < 16; i++)
    text[i] = "0123456789abcdef"[(unsigned long long)number >> (60 - 4 * i) & 15];
  text[16] = '\n';
  put(text, 17);
}

__attribute__((force_align_arg_pointer)) void _start(void)
{
  start();
#if __x86_64__
  __asm__ volatile("syscall" : : "a"(60L), "D"(0L));
#else
  __asm__ volatile("int $0x80" : : "a"(1), "b"(0));
#endif
}

void *memcpy(void *to, const void *from, __SIZE_TYPE__ size)
{
  for (__SIZE_TYPE__ i = 0; i < size; i++) ((char *)to)[i] = ((const char *)from)[i];
  return to;
}

void *memset(void *to, int value, __SIZE_TYPE__ size)
{
  for (__SIZE_TYPE__ i = 0; i < size; i++) ((char *)to)[i] = value;
  return to;
}

void __VERIFIER_atomic_begin(void) {}
void __VERIFIER_atomic_end(void) {}

#if !__x86_64__
/* What gcc calls to divide 64-bit numbers. */
typedef unsigned long long wide;

wide __udivmoddi4(wide a, wide b, wide *rest)
{
  wide quotient = 0, remainder = 0;
  for (int bit = 63; bit >= 0; bit--) {
    int carry = remainder >> 63;
    remainder = remainder << 1 | (a >> bit & 1);
    if (carry || remainder >= b) {
      remainder -= b;
      quotient |= 1ULL << bit;
    }
  }
  if (rest) *rest = remainder;
  return quotient;
}

wide __udivdi3(wide a, wide b) { return __udivmoddi4(a, b, 0); }

wide __umoddi3(wide a, wide b)
{
  wide rest;
  __udivmoddi4(a, b, &rest);
  return rest;
}

static wide magnitude(long long a) { return a < 0 ? -(wide)a : (wide)a; }

long long __divdi3(long long a, long long b)
{
  wide quotient = __udivdi3(magnitude(a), magnitude(b));
  return (a < 0) != (b < 0) ? -quotient : quotient;
}

long long __moddi3(long long a, long long b)
{
  wide rest = __umoddi3(magnitude(a), magnitude(b));
  return a < 0 ? -rest : rest;
}

long long __divmoddi4(long long a, long long b, long long *rest)
{
  *rest = __moddi3(a, b);
  return __divdi3(a, b);
}

/* What gcc calls to count bits. */
int __popcountdi2(wide a)
{
  int count = 0;
  for (; a; a &= a - 1) count++;
  return count;
}

int __popcountsi2(unsigned a) { return __popcountdi2(a); }

int __ctzdi2(wide a)
{
  int count = 0;
  for (; !(a & 1); a >>= 1) count++;
  return count;
}

int __ffsdi2(wide a) { return a ? __ctzdi2(a) + 1 : 0; }
#endif
