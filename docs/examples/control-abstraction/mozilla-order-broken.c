// expect: UNSAFE
//
// Ordered initialisation gone wrong: nothing makes the callback wait.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int operation;

void *starter(void *arg)
{
    pthread_mutex_lock(&lock);
    operation = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

void *callback(void *arg)
{
    pthread_mutex_lock(&lock);
    assert(operation == 1);
    operation = 2;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, starter, 0);
    pthread_create(&b, 0, callback, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
