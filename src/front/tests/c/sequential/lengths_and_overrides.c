// expect: SAFE
#include <assert.h>
#ifndef REACHED
#define REACHED() ((void)0)
#endif

struct pair { int x, y; };
struct nested { struct pair a; int b; };

/* An element that lacks some of its parts counts for the length. */
int global_rows[][2] = { 1, 2, 3 };
struct pair designated[] = { [1].x = 5 };

/* A range may be followed by what is in each of its elements. */
struct pair range[4] = { [0 ... 1].x = 5, 6, [3].y = 3 };
int table[3][2] = { [0 ... 2][1] = 4 };

/* A later item replaces all of what an earlier one has initialised. */
struct nested whole = { .a.x = 1, .a = { .y = 2 }, 3 };
int again[3] = { 1, 2, [0] = 7, 8 };
struct pair back[2] = { [1].x = 1, [0] = { 1, 2 }, { .y = 3 } };

int main(void)
{
  int rows[][2] = { 1, 2, 3 };
  struct pair pairs[] = { 1, 2, 3 };
  assert(sizeof global_rows == 4 * sizeof(int) && global_rows[1][0] == 3 && global_rows[1][1] == 0);
  assert(sizeof rows == 4 * sizeof(int) && rows[1][0] == 3 && rows[1][1] == 0);
  assert(sizeof pairs == 2 * sizeof(struct pair) && pairs[1].x == 3 && pairs[1].y == 0);
  assert(sizeof designated == 2 * sizeof(struct pair) && designated[1].x == 5);
  assert(range[0].x == 5 && range[0].y == 0 && range[1].x == 5 && range[1].y == 6);
  assert(range[2].x == 0 && range[3].x == 0 && range[3].y == 3);
  assert(table[0][1] == 4 && table[2][1] == 4 && table[1][0] == 0);
  assert(whole.a.x == 0 && whole.a.y == 2 && whole.b == 3);
  assert(again[0] == 7 && again[1] == 8 && again[2] == 0);
  assert(back[0].y == 2 && back[1].x == 0 && back[1].y == 3);
  REACHED();
}
