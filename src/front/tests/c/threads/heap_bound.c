// expect: SAFE UP TO BOUND 2
// options: max_heap_objects=2
#include <stdlib.h>
#include <assert.h>
struct node { struct node *next; };
int main(void) {
  struct node *list = 0;
  for (int i = 0; i < 3; i++) { struct node *n = malloc(sizeof *n); n->next = list; list = n; }
  assert(list);
}
