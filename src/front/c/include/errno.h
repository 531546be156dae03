#ifndef HEDDLE_ERRNO_H
#define HEDDLE_ERRNO_H
extern _Thread_local int errno;
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define EAGAIN 11
#define ENOMEM 12
#define EBUSY 16
#define EINVAL 22
#define EDOM 33
#define ERANGE 34
#define EDEADLK 35
#define ENOSYS 38
#define EOVERFLOW 75
#define ETIMEDOUT 110
#endif
