// expect: SAFE
#include <assert.h>
extern int *__errno_location(void);
int main(void) {
  *__errno_location() = 3;
  assert(*__errno_location() == 3);
}
