#ifndef HEDDLE_SEMAPHORE_H
#define HEDDLE_SEMAPHORE_H
#include <time.h>
/* Known to the translation by name, like the types of pthread.h. */
typedef int sem_t;
extern int sem_init(sem_t *semaphore, int shared, unsigned value);
extern int sem_destroy(sem_t *semaphore);
extern int sem_wait(sem_t *semaphore);
extern int sem_trywait(sem_t *semaphore);
extern int sem_timedwait(sem_t *semaphore, const struct timespec *time);
extern int sem_post(sem_t *semaphore);
extern int sem_getvalue(sem_t *semaphore, int *value);
#endif
