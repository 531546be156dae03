// expect: SAFE
#include <assert.h>
#ifndef REACHED
#define REACHED() ((void)0)
#endif

int grid[3][4];
char name[] = "heddle";
struct cell { short tag; int values[3]; } cells[2];
const int primes[] = { 2, 3, 5, 7 };

int sum(const int *a, int n) { int s = 0; while (n-- > 0) s += *a++; return s; }
void fill(int rows, int (*g)[4]) { for (int i = 0; i < rows; i++) for (int j = 0; j < 4; j++) g[i][j] = 10 * i + j; }

int main(void)
{
  int i, j;
  fill(3, grid);
  assert(grid[2][3] == 23 && *(*(grid + 1) + 2) == 12 && grid[0][5 - 1 - 1] == 3);
  int *flat = &grid[0][0];
  assert(flat[7] == 13);
  for (i = 0; i < 2; i++)
    for (j = 0; j < 3; j++)
      cells[i].values[j] = i * 3 + j;
  cells[1].tag = -5;
  assert(sum(cells[1].values, 3) == 12 && cells[1].tag == -5 && cells[0].tag == 0);
  i = 1;
  assert(cells[i].values[i + 1] == 5 && cells[i - 1].values[2 - i] == 1);
  assert(sizeof name == 7 && name[6] == 0 && name[5] == 'e');
  assert(sum(primes, 4) == 17 && primes[i] == 3 && i[primes] == 3);
  int local[5] = { 1, 2 };
  assert(local[0] + local[1] + local[4] == 3);
  int *p = local + 4, *end = local + 5;
  *p = 9;
  assert(end[-1] == 9 && end - local == 5 && p < end);
  while (p > local) p--;
  assert(*p == 1);
  for (p = local; p != end; ++p) *p = (int)(p - local);
  assert(local[3] == 3);
  unsigned char bytes[4] = { 0x78, 0x56, 0x34, 0x12 };
  assert(*(unsigned short *)(bytes + 2) == 0x1234);
  int number = 0x01020304;
  char *byte = (char *)&number;
  assert(byte[0] == 4 && byte[3] == 1);
  byte[1] = 0x7f;
  assert(number == 0x01027f04);
  int n = 3, variable[n];
  for (i = 0; i < n; i++) variable[i] = i * i;
  assert(variable[2] == 4);
  REACHED();
  return 0;
}
