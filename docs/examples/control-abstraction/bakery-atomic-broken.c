// expect: UNSAFE
//
// The Bakery with tickets drawn in one step, but the second thread waits on the wrong side.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

volatile int t1 = 0, t2 = 0;
volatile int x;

void *thr1(void *arg)
{
    __VERIFIER_atomic_begin();
    t1 = t2 + 1;
    __VERIFIER_atomic_end();
    while (t1 >= t2 && t2 != 0)
        ;
    x = 0;
    assert(x <= 0);
    t1 = 0;
    return arg;
}

void *thr2(void *arg)
{
    __VERIFIER_atomic_begin();
    t2 = t1 + 1;
    __VERIFIER_atomic_end();
    while (t2 <= t1 && t1 != 0)
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
