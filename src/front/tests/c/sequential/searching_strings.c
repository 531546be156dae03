// expect: SAFE
#include <assert.h>
#include <string.h>
#ifndef REACHED
#define REACHED() ((void)0)
#endif

int main(void)
{
  char text[] = "hello";
  assert(strstr(text, "ll") == text + 2 && strstr(text, "o") == text + 4 && strstr(text, "") == text);
  assert(!strstr(text, "lx") && !strstr(text, "oo"));
  assert(strspn(text, "he") == 2 && strcspn(text, "l") == 2 && strcspn(text, "x") == 5);
  assert(strpbrk(text, "ol") == text + 2 && !strpbrk(text, "xyz"));
  REACHED();
}
