// expect: UNSAFE
#include <assert.h>
int mystery(int);
extern int elsewhere;
int main(void) { int x = mystery(3); if (elsewhere == 1) assert(x != 2); }
