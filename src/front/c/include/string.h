#ifndef HEDDLE_STRING_H
#define HEDDLE_STRING_H
#include <stddef.h>
extern void *memcpy(void *to, const void *from, size_t size);
extern void *memmove(void *to, const void *from, size_t size);
extern void *memset(void *to, int value, size_t size);
extern int memcmp(const void *a, const void *b, size_t size);
extern void *memchr(const void *where, int value, size_t size);
extern size_t strlen(const char *text);
extern size_t strnlen(const char *text, size_t size);
extern char *strcpy(char *to, const char *from);
extern char *strncpy(char *to, const char *from, size_t size);
extern char *strcat(char *to, const char *from);
extern char *strncat(char *to, const char *from, size_t size);
extern int strcmp(const char *a, const char *b);
extern int strncmp(const char *a, const char *b, size_t size);
extern char *strchr(const char *text, int character);
extern char *strrchr(const char *text, int character);
extern char *strstr(const char *text, const char *part);
extern size_t strspn(const char *text, const char *accepted);
extern size_t strcspn(const char *text, const char *rejected);
extern char *strpbrk(const char *text, const char *accepted);
extern char *strtok(char *text, const char *separators);
extern char *strdup(const char *text);
extern char *strerror(int number);
#endif
