#ifndef HEDDLE_STDLIB_H
#define HEDDLE_STDLIB_H
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
extern void *malloc(size_t size);
extern void *calloc(size_t count, size_t size);
extern void *realloc(void *pointer, size_t size);
extern void *aligned_alloc(size_t alignment, size_t size);
extern int posix_memalign(void **result, size_t alignment, size_t size);
extern void free(void *pointer);
extern void abort(void) __attribute__((__noreturn__));
extern void exit(int status) __attribute__((__noreturn__));
extern void _Exit(int status) __attribute__((__noreturn__));
extern int atexit(void (*function)(void));
extern int atoi(const char *text);
extern long atol(const char *text);
extern long long atoll(const char *text);
extern long strtol(const char *text, char **end, int base);
extern unsigned long strtoul(const char *text, char **end, int base);
extern int rand(void);
extern int rand_r(unsigned *seed);
extern void srand(unsigned seed);
extern long random(void);
extern void srandom(unsigned seed);
extern void qsort(void *first, size_t count, size_t size, int (*compare)(const void *, const void *));
extern void *bsearch(const void *key, const void *first, size_t count, size_t size, int (*compare)(const void *, const void *));
extern int abs(int value);
extern long labs(long value);
extern long long llabs(long long value);
extern char *getenv(const char *name);
extern int system(const char *command);
#endif
