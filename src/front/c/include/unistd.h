#ifndef HEDDLE_UNISTD_H
#define HEDDLE_UNISTD_H
#include <sys/types.h>
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
extern unsigned sleep(unsigned seconds);
extern int usleep(useconds_t microseconds);
extern pid_t getpid(void);
extern void _exit(int status) __attribute__((__noreturn__));
extern ssize_t read(int file, void *to, size_t size);
extern ssize_t write(int file, const void *from, size_t size);
extern int close(int file);
#endif
