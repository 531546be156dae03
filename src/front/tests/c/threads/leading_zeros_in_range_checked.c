// expect: SAFE
// options: check_memory
unsigned x;
int main(void) { return x ? __builtin_clz(x) : __builtin_ctz(x | 8) + __builtin_ffs(x); }
