// expect: UNSAFE
//
// The Bluetooth driver as it was first written: the worker looks first and takes its
// reference afterwards.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

atomic_int pending = 1;
atomic_bool stopping, done, stopped;

static void release(void)
{
    if (atomic_fetch_sub(&pending, 1) == 1)
        done = true;
}

void *worker(void *arg)
{
    if (stopping)
        return arg;
    atomic_fetch_add(&pending, 1);
    assert(!stopped);
    release();
    return arg;
}

void *stopper(void *arg)
{
    stopping = true;
    release();
    while (!done)
        ;
    stopped = true;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, stopper, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
