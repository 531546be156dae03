// expect: UNSAFE
//
// Three philosophers who all take the left fork first. If each of them holds one fork,
// nobody will ever get a second one; the assertion says that this does not happen.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define N 3

pthread_mutex_t forks[N];
atomic_int holding_one;

static void dine(int first, int second)
{
    pthread_mutex_lock(&forks[first]);
    assert(atomic_fetch_add(&holding_one, 1) < N - 1);
    pthread_mutex_lock(&forks[second]);
    atomic_fetch_sub(&holding_one, 1);
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
}

void *socrates(void *arg)
{
    dine(0, 1);
    return arg;
}

void *plato(void *arg)
{
    dine(1, 2);
    return arg;
}

void *aristotle(void *arg)
{
    dine(2, 0);
    return arg;
}

int main(void)
{
    pthread_t a, b, c;
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&forks[i], 0);
    pthread_create(&a, 0, socrates, 0);
    pthread_create(&b, 0, plato, 0);
    pthread_create(&c, 0, aristotle, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
