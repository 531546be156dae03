// expect: SAFE
// options: check_memory
#include <stdlib.h>
int a[3];
struct s { int x; struct s *next; } head;
int main(void) {
  for (int i = 0; i < 3; i++) a[i] = i;
  struct s *p = malloc(sizeof *p);
  p->next = &head;
  p->next->x = a[2] / 2 + (1 << a[1]);
  char *c = (char *)a;
  for (int i = 0; i < 12; i++) c[i] = 0;
}
