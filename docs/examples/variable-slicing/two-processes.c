// expect: UNSAFE
//
// The motivating example of "Counter-Example Guided Program Verification" with pthreads.
// Here each access is a step of its own.
#include <assert.h>
#include <pthread.h>

int x, y, z, t1, t2;

void *P(void *arg)
{
    x = y ? (z ? 0 : 1) : 1;
    y = 1 - z;
    z = 1;
    t1 = x;
    assert(t1 + t2 != 1);
    return arg;
}

void *Q(void *arg)
{
    x = y ? 0 : (z ? 0 : 1);
    y = 1;
    z = 1;
    t2 = x;
    return arg;
}

int main(void)
{
    pthread_t p, q;
    pthread_create(&p, 0, P, 0);
    pthread_create(&q, 0, Q, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    return 0;
}
