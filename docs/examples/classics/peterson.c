// expect: SAFE
//
// Peterson's mutual exclusion for two threads.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

volatile bool flag0, flag1;
volatile int turn;
int x;

void *p0(void *arg)
{
    flag0 = true;
    turn = 1;
    while (flag1 && turn == 1)
        ;
    x = 0;
    assert(x == 0);
    flag0 = false;
    return arg;
}

void *p1(void *arg)
{
    flag1 = true;
    turn = 0;
    while (flag0 && turn == 0)
        ;
    x = 1;
    assert(x == 1);
    flag1 = false;
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
