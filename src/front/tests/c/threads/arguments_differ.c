// expect: UNSAFE
// options: range=0..2
#include <assert.h>
int main(int argc, char **argv) {
  if (argc == 2 && argv[0] != argv[1]) assert(argv[0][0] == argv[1][0]);
  return 0;
}
