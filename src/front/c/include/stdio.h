#ifndef HEDDLE_STDIO_H
#define HEDDLE_STDIO_H
#include <stdarg.h>
#include <stddef.h>
typedef struct __heddle_file FILE;
extern FILE *stdin, *stdout, *stderr;
#define EOF (-1)
#define BUFSIZ 8192
extern int printf(const char *format, ...);
extern int fprintf(FILE *file, const char *format, ...);
extern int sprintf(char *to, const char *format, ...);
extern int snprintf(char *to, size_t size, const char *format, ...);
extern int vprintf(const char *format, va_list arguments);
extern int vfprintf(FILE *file, const char *format, va_list arguments);
extern int scanf(const char *format, ...);
extern int sscanf(const char *from, const char *format, ...);
extern int fscanf(FILE *file, const char *format, ...);
extern int puts(const char *text);
extern int fputs(const char *text, FILE *file);
extern int putchar(int character);
extern int putc(int character, FILE *file);
extern int fputc(int character, FILE *file);
extern int getchar(void);
extern int getc(FILE *file);
extern int fgetc(FILE *file);
extern char *fgets(char *to, int size, FILE *file);
extern int fflush(FILE *file);
extern FILE *fopen(const char *name, const char *mode);
extern int fclose(FILE *file);
extern void perror(const char *text);
#endif
