// expect: UNSAFE
//
// A singleton with double-checked locking whose flag is set before the object is complete.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
volatile bool ready;
volatile int object;
int created;

static int instance(void)
{
    if (!ready) {
        pthread_mutex_lock(&lock);
        if (!ready) {
            created++;
            ready = true;
            object = 42;
        }
        pthread_mutex_unlock(&lock);
    }
    return object;
}

void *user(void *arg)
{
    assert(instance() == 42);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, user, 0);
    pthread_create(&b, 0, user, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(created == 1);
    return 0;
}
