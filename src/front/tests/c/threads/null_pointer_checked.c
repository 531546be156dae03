// expect: UNSAFE
// options: check_memory
int *p;
int main(void) { *p = 1; }
