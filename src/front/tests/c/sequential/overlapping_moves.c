// expect: SAFE
#include <assert.h>
#include <string.h>
#ifndef REACHED
#define REACHED() ((void)0)
#endif

/* Neither the type nor the size is known where the bytes are moved. */
void move(void *to, void *from, int elements)
{
  memmove(to, from, elements * sizeof(int));
}

int main(void)
{
  int up[4] = { 1, 2, 3, 4 }, down[4] = { 1, 2, 3, 4 }, same[2] = { 1, 2 }, other[2] = { 8, 9 };
  move(up + 1, up, 3);
  assert(up[0] == 1 && up[1] == 1 && up[2] == 2 && up[3] == 3);
  move(down, down + 1, 3);
  assert(down[0] == 2 && down[1] == 3 && down[2] == 4 && down[3] == 4);
  move(same, same, 2);
  assert(same[0] == 1 && same[1] == 2);
  move(same, other, 2);
  assert(same[0] == 8 && same[1] == 9);
  move(other, down, 0);
  assert(other[0] == 8);
  REACHED();
}
