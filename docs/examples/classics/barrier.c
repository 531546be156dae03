// expect: SAFE
//
// A barrier between two phases: each thread reads in the second phase what the other one
// wrote in the first.
#include <assert.h>
#include <pthread.h>

pthread_barrier_t barrier;
int cell[2];

void *p0(void *arg)
{
    cell[0] = 1;
    pthread_barrier_wait(&barrier);
    assert(cell[1] == 1);
    return arg;
}

void *p1(void *arg)
{
    cell[1] = 1;
    pthread_barrier_wait(&barrier);
    assert(cell[0] == 1);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&a, 0, p0, 0);
    pthread_create(&b, 0, p1, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
