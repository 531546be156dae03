// expect: SAFE
//
// After the butterfly, Fig. 6 of "Scheduling Constraint Based Abstraction Refinement for
// Multi-Threaded Program Verification", with pthreads: see butterfly.hd.
#include <assert.h>
#include <pthread.h>

int w, x, y, m, n;
int r0, r1, r2, r4, r5;
pthread_t t0, t1, t2, t3, t4, t5, t6;

void *p1(void *arg)
{
    y = 2;
    r1 = x;
    return arg;
}

void *p0(void *arg)
{
    w = 1;
    pthread_create(&t1, 0, p1, 0);
    x = 2;
    r0 = y;
    return arg;
}

void *p3(void *arg)
{
    y = 1;
    return arg;
}

void *p4(void *arg)
{
    n = 2;
    r4 = m;
    return arg;
}

void *p2(void *arg)
{
    x = 1;
    pthread_join(t3, 0);
    w = 2;
    pthread_create(&t4, 0, p4, 0);
    m = 2;
    r2 = n;
    return arg;
}

void *p6(void *arg)
{
    n = 1;
    return arg;
}

void *p5(void *arg)
{
    m = 1;
    pthread_join(t6, 0);
    r5 = w;
    return arg;
}

int main(void)
{
    pthread_create(&t3, 0, p3, 0);
    pthread_create(&t6, 0, p6, 0);
    pthread_create(&t0, 0, p0, 0);
    pthread_create(&t2, 0, p2, 0);
    pthread_create(&t5, 0, p5, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    pthread_join(t4, 0);
    pthread_join(t5, 0);
    assert(!(r0 == 1 && r1 == 1 && r2 == 1 && r4 == 1 && r5 == 1));
    return 0;
}
