#ifndef HEDDLE_STRINGS_H
#define HEDDLE_STRINGS_H
#include <string.h>
extern void bzero(void *to, size_t size);
extern int ffs(int value);
extern int ffsl(long value);
extern int ffsll(long long value);
#endif
