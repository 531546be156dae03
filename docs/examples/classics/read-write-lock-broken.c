// expect: UNSAFE
//
// A read-write lock made of a mutex and a counter of readers, whose every reader lets the
// writer in again when it leaves, not only the last one. The mutex is a flag here, since
// the thread that gives it back need not be the one that took it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

pthread_mutex_t readers_lock = PTHREAD_MUTEX_INITIALIZER;
atomic_bool resource; /* taken */
int readers;
int left, right;

static void take(atomic_bool *flag)
{
    while (atomic_exchange(flag, true))
        ;
}

static void read_lock(void)
{
    pthread_mutex_lock(&readers_lock);
    readers = readers + 1;
    if (readers == 1)
        take(&resource);
    pthread_mutex_unlock(&readers_lock);
}

static void read_unlock(void)
{
    pthread_mutex_lock(&readers_lock);
    readers = readers - 1;
    resource = false;
    pthread_mutex_unlock(&readers_lock);
}

void *reader(void *arg)
{
    read_lock();
    assert(left == right);
    read_unlock();
    return arg;
}

void *writer(void *arg)
{
    take(&resource);
    left = left + 1;
    right = right + 1;
    resource = false;
    return arg;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_create(&c, 0, writer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
