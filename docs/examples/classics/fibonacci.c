// expect: SAFE
//
// Two threads that add to each other's number. At best they take turns, and then the
// numbers are those of Fibonacci.
#include <assert.h>
#include <pthread.h>

#define TURNS 2
#define LARGEST 8 /* the Fibonacci number of index 2 * TURNS + 2 */

int i = 1, j = 1;

void *t1(void *arg)
{
    for (int k = 0; k < TURNS; k++)
        i += j;
    return arg;
}

void *t2(void *arg)
{
    for (int k = 0; k < TURNS; k++)
        j += i;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, t1, 0);
    pthread_create(&b, 0, t2, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(i <= LARGEST && j <= LARGEST);
    return 0;
}
