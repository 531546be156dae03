#ifndef HEDDLE_PTHREAD_H
#define HEDDLE_PTHREAD_H
#include <sched.h>
#include <stddef.h>
#include <time.h>
#include <heddle_pthread_types.h>
#define PTHREAD_MUTEX_INITIALIZER { 0 }
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP { 1 }
#define PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP { 2 }
#define PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP { 0 }
#define PTHREAD_COND_INITIALIZER { 0 }
#define PTHREAD_RWLOCK_INITIALIZER { 0 }
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_MUTEX_NORMAL 0
#define PTHREAD_MUTEX_RECURSIVE 1
#define PTHREAD_MUTEX_ERRORCHECK 2
#define PTHREAD_MUTEX_DEFAULT 0
#define PTHREAD_MUTEX_TIMED_NP 0
#define PTHREAD_MUTEX_RECURSIVE_NP 1
#define PTHREAD_MUTEX_ERRORCHECK_NP 2
#define PTHREAD_BARRIER_SERIAL_THREAD (-1)
#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1
#define PTHREAD_SCOPE_SYSTEM 0
#define PTHREAD_SCOPE_PROCESS 1
#define PTHREAD_CANCEL_ENABLE 0
#define PTHREAD_CANCEL_DISABLE 1
#define PTHREAD_CANCEL_DEFERRED 0
#define PTHREAD_CANCEL_ASYNCHRONOUS 1
extern int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *argument);
extern int pthread_join(pthread_t thread, void **result);
extern int pthread_detach(pthread_t thread);
extern void pthread_exit(void *result) __attribute__((__noreturn__));
extern pthread_t pthread_self(void);
extern int pthread_equal(pthread_t a, pthread_t b);
extern int pthread_yield(void);
extern int pthread_cancel(pthread_t thread);
extern void pthread_testcancel(void);
extern int pthread_setcancelstate(int state, int *old);
extern int pthread_setcanceltype(int type, int *old);
extern int pthread_attr_init(pthread_attr_t *attr);
extern int pthread_attr_destroy(pthread_attr_t *attr);
extern int pthread_attr_setdetachstate(pthread_attr_t *attr, int state);
extern int pthread_attr_getdetachstate(const pthread_attr_t *attr, int *state);
extern int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size);
extern int pthread_attr_setscope(pthread_attr_t *attr, int scope);
extern int pthread_mutexattr_init(pthread_mutexattr_t *attr);
extern int pthread_mutexattr_destroy(pthread_mutexattr_t *attr);
extern int pthread_mutexattr_settype(pthread_mutexattr_t *attr, int type);
extern int pthread_mutexattr_gettype(const pthread_mutexattr_t *attr, int *type);
extern int pthread_mutexattr_setpshared(pthread_mutexattr_t *attr, int shared);
extern int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr);
extern int pthread_mutex_destroy(pthread_mutex_t *mutex);
extern int pthread_mutex_lock(pthread_mutex_t *mutex);
extern int pthread_mutex_trylock(pthread_mutex_t *mutex);
extern int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *time);
extern int pthread_mutex_unlock(pthread_mutex_t *mutex);
extern int pthread_condattr_init(pthread_condattr_t *attr);
extern int pthread_condattr_destroy(pthread_condattr_t *attr);
extern int pthread_condattr_setclock(pthread_condattr_t *attr, clockid_t clock);
extern int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attr);
extern int pthread_cond_destroy(pthread_cond_t *condition);
extern int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
extern int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time);
extern int pthread_cond_signal(pthread_cond_t *condition);
extern int pthread_cond_broadcast(pthread_cond_t *condition);
extern int pthread_rwlockattr_init(pthread_rwlockattr_t *attr);
extern int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attr);
extern int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attr);
extern int pthread_rwlock_destroy(pthread_rwlock_t *lock);
extern int pthread_rwlock_rdlock(pthread_rwlock_t *lock);
extern int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock);
extern int pthread_rwlock_wrlock(pthread_rwlock_t *lock);
extern int pthread_rwlock_trywrlock(pthread_rwlock_t *lock);
extern int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *time);
extern int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *time);
extern int pthread_rwlock_unlock(pthread_rwlock_t *lock);
extern int pthread_barrierattr_init(pthread_barrierattr_t *attr);
extern int pthread_barrierattr_destroy(pthread_barrierattr_t *attr);
extern int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr, unsigned count);
extern int pthread_barrier_destroy(pthread_barrier_t *barrier);
extern int pthread_barrier_wait(pthread_barrier_t *barrier);
extern int pthread_spin_init(pthread_spinlock_t *lock, int shared);
extern int pthread_spin_destroy(pthread_spinlock_t *lock);
extern int pthread_spin_lock(pthread_spinlock_t *lock);
extern int pthread_spin_trylock(pthread_spinlock_t *lock);
extern int pthread_spin_unlock(pthread_spinlock_t *lock);
extern int pthread_once(pthread_once_t *control, void (*routine)(void));
extern int pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
extern int pthread_key_delete(pthread_key_t key);
extern void *pthread_getspecific(pthread_key_t key);
extern int pthread_setspecific(pthread_key_t key, const void *value);
#endif
