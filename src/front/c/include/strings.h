#ifndef HEDDLE_STRINGS_H
#define HEDDLE_STRINGS_H
#include <string.h>
extern void bzero(void *to, size_t size);
#endif
