// expect: UNSAFE
//
// Peterson's mutual exclusion with the flag raised after the turn was given away.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

volatile bool flag0, flag1;
volatile int turn;
int x;

void *p0(void *arg)
{
    turn = 1;
    flag0 = true;
    while (flag1 && turn == 1)
        ;
    x = 0;
    assert(x == 0);
    flag0 = false;
    return arg;
}

void *p1(void *arg)
{
    turn = 0;
    flag1 = true;
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
