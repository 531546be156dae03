// expect: UNSAFE
// options: range=30..35
#include <errno.h>
#include <stdlib.h>
#include <assert.h>
int main(void) {
  errno = 0;
  strtol("99999999999999999999", 0, 10);
  assert(errno != ERANGE);
}
