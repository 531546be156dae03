// expect: SAFE
//
// The stopping procedure of a Bluetooth driver: the worker takes its reference before it
// looks whether the driver is stopping.
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
    atomic_fetch_add(&pending, 1);
    if (!stopping)
        assert(!stopped); /* the work */
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
