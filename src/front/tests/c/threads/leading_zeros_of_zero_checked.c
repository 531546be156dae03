// expect: UNSAFE
// options: check_memory
unsigned x;
int main(void) { return __builtin_clz(x) > 40; }
