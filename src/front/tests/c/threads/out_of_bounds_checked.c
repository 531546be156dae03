// expect: UNSAFE
// options: check_memory
int a[3];
int __VERIFIER_nondet_int(void);
int main(void) { int i = __VERIFIER_nondet_int(); if (i > -2 && i < 3) a[i] = 1; }
