// expect: SAFE
#include <assert.h>
#ifndef REACHED
#define REACHED() ((void)0)
#endif

struct inner { int a, b; };
struct outer { char tag; struct inner parts[2]; int last; };

struct outer one = { 'x', { { 1, 2 }, { 3, 4 } }, 5 };
struct outer flat = { 'y', 1, 2, 3, 4, 5 };
struct outer named = { .last = 9, .parts[1].b = 8, .tag = 'z' };
int sparse[6] = { [4] = 40, 50, [1] = 10 };
int range[5] = { [1 ... 3] = 7 };
char text[8] = "ab";
char exact[2] = "cd";
int matrix[][2] = { { 1, 2 }, { 3 }, 5, 6 };
int *pointers[] = { &sparse[1], &one.parts[1].a, 0 };
const char *words[] = { "zero", "one" };
enum color { RED, GREEN = 5, BLUE } favourite = BLUE;
int computed = sizeof(struct outer) * 2 + (3 << 2) - ~0;
static struct inner *reference = &named.parts[1];

int main(void)
{
  assert(one.parts[1].a == 3 && one.last == 5);
  assert(flat.parts[0].b == 2 && flat.parts[1].b == 4 && flat.last == 5);
  assert(named.parts[1].b == 8 && named.parts[1].a == 0 && named.tag == 'z' && reference->b == 8);
  assert(sparse[0] == 0 && sparse[1] == 10 && sparse[4] == 40 && sparse[5] == 50);
  assert(range[0] == 0 && range[1] == 7 && range[3] == 7 && range[4] == 0);
  assert(text[1] == 'b' && text[2] == 0 && text[7] == 0 && exact[1] == 'd');
  assert(sizeof matrix == 6 * sizeof(int) && matrix[1][1] == 0 && matrix[2][1] == 6);
  assert(*pointers[0] == 10 && *pointers[1] == 3 && !pointers[2]);
  assert(words[1][0] == 'o' && words[0][3] == 'o');
  assert(favourite == 6 && RED == 0);
  assert(computed == sizeof(struct outer) * 2 + 12 + 1);
  int n = 3;
  struct inner local = { n, n * 2 };
  assert(local.b == 6);
  struct outer partial = { 'q', { local } };
  assert(partial.parts[0].a == 3 && partial.parts[1].a == 0 && partial.last == 0);
  int *literal = (int[]){ 4, 5, 6 };
  assert(literal[2] == 6);
  for (int i = 0; i < 2; i++) {
    int fresh[2] = { i };
    assert(fresh[0] == i && fresh[1] == 0);
    fresh[1] = 99;
  }
  static int once = 3;
  once++;
  assert(once == 4);
  REACHED();
  return 0;
}
