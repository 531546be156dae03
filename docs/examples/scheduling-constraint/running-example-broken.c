// expect: UNSAFE
//
// Fig. 2 of "Scheduling Constraint Based Abstraction Refinement for Multi-Threaded Program
// Verification", with an assertion that fails if the second thread runs first.
#include <assert.h>
#include <pthread.h>

int x = 1, y = 1, m = 0, n = 0;

void *thr1(void *arg)
{
    x = y + 1;
    m = y;
    x = 0;
    return arg;
}

void *thr2(void *arg)
{
    y = x + 1;
    n = x;
    y = 0;
    return arg;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, thr1, 0);
    pthread_create(&t2, 0, thr2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(!(m == 0 && n == 1));
    return 0;
}
