// expect: UNSAFE
//
// The Bakery without the flags that say who is choosing a ticket. Of two equal tickets the
// one of the first thread counts.
#include <assert.h>
#include <pthread.h>

volatile int t1 = 0, t2 = 0;
volatile int x;

void *thr1(void *arg)
{
    int tmp;
    tmp = t2 + 1;
    t1 = tmp;
    while (t1 > t2 && t2 != 0)
        ;
    x = 0;
    assert(x <= 0);
    t1 = 0;
    return arg;
}

void *thr2(void *arg)
{
    int tmp;
    tmp = t1 + 1;
    t2 = tmp;
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
