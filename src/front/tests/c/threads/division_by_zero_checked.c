// expect: UNSAFE
// options: check_memory
int d;
int main(void) { return 5 / d; }
