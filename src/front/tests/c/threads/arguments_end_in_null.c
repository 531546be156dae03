// expect: SAFE
// options: range=0..2
#include <assert.h>
int main(int argc, char **argv) {
  assert(argv[argc] == 0);
  if (argc > 0) assert(argv[argc - 1][15] == 0);
  return 0;
}
