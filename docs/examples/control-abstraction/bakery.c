// expect: SAFE
//
// Lamport's Bakery for two threads, Fig. 2 of "Non-Monotonic Refinement of Control
// Abstraction for Concurrent Programs", with pthreads. Each access is a step of its own.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

volatile int t1 = 0, t2 = 0;
volatile bool choosing1 = false, choosing2 = false;
volatile int x;

void *thr1(void *arg)
{
    int tmp;
    choosing1 = true;
    tmp = t2 + 1;
    t1 = tmp;
    choosing1 = false;
    while (choosing2)
        ;
    while (t1 >= t2 && t2 != 0)
        ;
    x = 0;
    assert(x <= 0);
    t1 = 0;
    return arg;
}

void *thr2(void *arg)
{
    int tmp;
    choosing2 = true;
    tmp = t1 + 1;
    t2 = tmp;
    choosing2 = false;
    while (choosing1)
        ;
    while (t2 >= t1 && t1 != 0)
        ;
    x = 1;
    assert(x >= 1);
    t2 = 0;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, thr1, 0);
    pthread_create(&b, 0, thr2, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
