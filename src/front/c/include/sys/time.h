#ifndef HEDDLE_SYS_TIME_H
#define HEDDLE_SYS_TIME_H
#include <time.h>
struct timeval { time_t tv_sec; suseconds_t tv_usec; };
extern int gettimeofday(struct timeval *result, void *zone);
#endif
