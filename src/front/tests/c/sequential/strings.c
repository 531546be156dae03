// expect: SAFE
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#ifndef REACHED
#define REACHED() ((void)0)
#endif

char buffer[16];
struct record { int key; char name[4]; };

int main(void)
{
  assert(strlen("hello") == 5);
  strcpy(buffer, "abc");
  assert(!strcmp(buffer, "abc") && strcmp("abd", buffer) > 0 && strcmp("ab", buffer) < 0);
  strcat(buffer, "de");
  assert(buffer[4] == 'e' && buffer[5] == 0 && strlen(buffer) == 5);
  assert(strncmp(buffer, "abX", 2) == 0);
  assert(strchr(buffer, 'c') == buffer + 2 && !strchr(buffer, 'z') && strrchr("aba", 'a')[0] == 'a');
  strncpy(buffer, "xy", 4);
  assert(buffer[1] == 'y' && buffer[2] == 0 && buffer[3] == 0 && buffer[4] == 'e');
  memset(buffer, 'q', 3);
  assert(buffer[2] == 'q' && buffer[3] == 0);
  struct record r = { 7, "abc" }, s;
  memcpy(&s, &r, sizeof r);
  assert(s.key == 7 && s.name[2] == 'c');
  assert(memcmp(&s.name, "abc", 4) == 0);
  int numbers[3] = { 1, 2, 3 }, copy[3];
  memcpy(copy, numbers, sizeof numbers);
  assert(copy[2] == 3);
  memset(copy, 0, sizeof copy);
  assert(copy[0] == 0 && copy[2] == 0);
  memmove(numbers + 1, numbers, 2 * sizeof(int));
  assert(numbers[1] == 1 && numbers[2] == 2);
  void *raw = malloc(8);
  *(int *)raw = 0x12345678;
  assert(*(unsigned char *)raw == 0x78);
  *((short *)raw + 1) = 0;
  assert(*(int *)raw == 0x5678);
  assert(abs(-4) == 4 && isdigit('7') && !isdigit('x') && toupper('a') == 'A');
  REACHED();
  return 0;
}
