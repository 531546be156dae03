#ifndef HEDDLE_SCHED_H
#define HEDDLE_SCHED_H
#include <time.h>
struct sched_param { int sched_priority; };
extern int sched_yield(void);
#endif
