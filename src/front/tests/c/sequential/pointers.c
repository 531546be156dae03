// expect: SAFE
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#ifndef REACHED
#define REACHED() ((void)0)
#endif

struct node { int value; struct node *next; };
struct item { int id; struct node link; };
#define container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))

int a = 1, b = 2;
int *chosen = &b;
int **indirect = &chosen;
struct item items[2];

void swap(int *x, int *y) { int t = *x; *x = *y; *y = t; }
int add(int x, int y) { return x + y; }
int sub(int x, int y) { return x - y; }
int (*table[])(int, int) = { add, sub };
int apply(int (*f)(int, int), int x, int y) { return f(x, y); }
int *larger(int *x, int *y) { return *x > *y ? x : y; }

struct node *push(struct node *list, int value)
{
  struct node *n = malloc(sizeof *n);
  n->value = value;
  n->next = list;
  return n;
}

int main(void)
{
  swap(&a, &b);
  assert(a == 2 && b == 1 && **indirect == 1);
  *indirect = &a;
  assert(*chosen == 2);
  assert(table[0](3, 4) == 7 && table[1](3, 4) == -1 && apply(&add, 1, 1) == 2);
  int (*f)(int, int) = table[1];
  f = *f;
  assert((*f)(9, 4) == 5);
  *larger(&a, &b) = 50;
  assert(a == 50);
  struct node *list = 0;
  for (int i = 0; i < 3; i++) list = push(list, i);
  int sum = 0;
  for (struct node *n = list; n; n = n->next) sum = sum * 10 + n->value;
  assert(sum == 210);
  while (list) { struct node *next = list->next; free(list); list = next; }
  items[1].id = 77;
  struct node *inner = &items[1].link;
  assert(container_of(inner, struct item, link)->id == 77);
  uintptr_t number = (uintptr_t)&a;
  assert(*(int *)number == 50 && (number & 3) == 0);
  int *tagged = (int *)(number | 1);
  assert(*(int *)((uintptr_t)tagged & ~(uintptr_t)1) == 50);
  void *anything = &b;
  assert(*(int *)anything == 1 && anything != (void *)&a && anything);
  char *letters = malloc(4);
  letters[0] = 'o';
  letters[1] = 'k';
  assert(*(letters + 1) == 'k');
  int *zeroed = calloc(3, sizeof(int));
  assert(zeroed[2] == 0);
  zeroed[1] = 5;
  assert(*(zeroed + 1) == 5);
  assert(!(chosen == &b) && &items[1] > &items[0]);
  REACHED();
  return 0;
}
