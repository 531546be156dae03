// expect: UNSAFE
//
// A buffer of one slot with condition variables, whose consumers take a wake-up for a
// promise: an `if` where there should be a loop.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
int count;

void *producer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        while (count == 1)
            pthread_cond_wait(&not_full, &lock);
        count++;
        assert(count == 1);
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

void *consumer(void *arg)
{
    pthread_mutex_lock(&lock);
    if (count == 0)
        pthread_cond_wait(&not_empty, &lock);
    count--;
    assert(count == 0);
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_create(&c, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(count == 0);
    return 0;
}
