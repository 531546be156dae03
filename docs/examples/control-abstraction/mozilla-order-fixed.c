// expect: SAFE
//
// Ordered initialisation: the callback runs only once the operation is recorded.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
bool initialised;
int operation;

void *starter(void *arg)
{
    pthread_mutex_lock(&lock);
    operation = 1;
    initialised = true;
    pthread_mutex_unlock(&lock);
    return arg;
}

void *callback(void *arg)
{
    bool ready = false;
    while (!ready) {
        pthread_mutex_lock(&lock);
        ready = initialised;
        pthread_mutex_unlock(&lock);
    }
    assert(operation == 1);
    operation = 2;
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
