// expect: SAFE
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
struct node { int value; struct node *next; } *top;
void push(int value) {
  struct node *n = malloc(sizeof *n), *old;
  n->value = value;
  do { old = top; n->next = old; } while (!__sync_bool_compare_and_swap(&top, old, n));
}
void *f(void *a) { push(1); return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  push(2);
  pthread_join(t, 0);
  assert(top->value + top->next->value == 3 && !top->next->next);
}
