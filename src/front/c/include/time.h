#ifndef HEDDLE_TIME_H
#define HEDDLE_TIME_H
#include <sys/types.h>
struct timespec { time_t tv_sec; long tv_nsec; };
struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst; };
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCKS_PER_SEC 1000000L
extern time_t time(time_t *result);
extern clock_t clock(void);
extern int clock_gettime(clockid_t clock, struct timespec *result);
extern int nanosleep(const struct timespec *time, struct timespec *remaining);
#endif
