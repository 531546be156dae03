// expect: UNSAFE
// options: check_memory
#include <stdio.h>
int *nowhere;
int main(void) { scanf("%d", nowhere); }
