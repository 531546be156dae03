// expect: UNSAFE
//
// A ticket lock whose tickets are drawn in two steps: two threads can hold the same one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint next_ticket, now_serving;
int x;

static void lock(void)
{
    unsigned mine = next_ticket;
    next_ticket = mine + 1;
    while (now_serving != mine)
        ;
}

static void unlock(void)
{
    atomic_fetch_add(&now_serving, 1);
}

void *p0(void *arg)
{
    lock();
    x = 0;
    assert(x == 0);
    unlock();
    return arg;
}

void *p1(void *arg)
{
    lock();
    x = 1;
    assert(x == 1);
    unlock();
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, p0, 0);
    pthread_create(&b, 0, p1, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
