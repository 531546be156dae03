// expect: UNSAFE
extern void __VERIFIER_assert(int condition);
long long wide = 0x100000000LL;
int main(void) { __VERIFIER_assert(wide); }
