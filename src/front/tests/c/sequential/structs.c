// expect: SAFE
#include <assert.h>
#include <string.h>
#ifndef REACHED
#define REACHED() ((void)0)
#endif

struct point { int x, y; };
struct line { struct point from, to; char name[4]; };
struct tree { int value; struct tree *left, *right; };

struct point make(int x, int y) { struct point p = { x, y }; return p; }
struct point add(struct point a, struct point b) { a.x += b.x; a.y += b.y; return a; }
int length2(const struct line *l)
{
  int dx = l->to.x - l->from.x, dy = l->to.y - l->from.y;
  return dx * dx + dy * dy;
}

struct line global = { { 1, 2 }, { 4, 6 }, "abc" };
struct point points[3] = { { 1, 1 }, { 2, 4 }, { 3, 9 } };

int main(void)
{
  struct line l = global, copy;
  assert(length2(&l) == 25);
  assert(l.name[0] == 'a' && l.name[3] == 0);
  l.to = add(l.from, make(10, 20));
  assert(l.to.x == 11 && l.to.y == 22);
  copy = l;
  l.from.x = 100;
  assert(copy.from.x == 1);
  assert(make(3, 4).y == 4);
  struct point *p = &points[1];
  assert(p->y == 4 && p[1].y == 9 && (p - 1)->x == 1);
  p++;
  assert(p->x == 3 && p - points == 2);
  int i, sum = 0;
  for (i = 0; i < 3; i++) sum += points[i].x * points[i].y;
  assert(sum == 1 + 8 + 27);
  struct tree leaf = { 5, 0, 0 }, root = { 7, &leaf, 0 };
  assert(root.left->value == 5 && !root.right);
  root.left->value++;
  assert(leaf.value == 6);
  memset(&l, 0, sizeof l);
  assert(l.from.x == 0 && l.to.y == 0 && l.name[1] == 0);
  memcpy(&l, &copy, sizeof(struct line));
  assert(l.to.y == 22 && l.name[1] == 'b');
  struct point q = (struct point){ .y = 8 };
  assert(q.x == 0 && q.y == 8);
  struct { int a; struct { int b; }; } anonymous = { 1, { 2 } };
  assert(anonymous.a + anonymous.b == 3);
  q = i == 3 ? points[2] : points[0];
  assert(q.x == 3);
  REACHED();
  return 0;
}
