// expect: UNSAFE
//
// The allocation idiom with the block marked as allocated too late.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

pthread_mutex_t inode_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t block_lock = PTHREAD_MUTEX_INITIALIZER;
bool inode;
bool busy;
int block;

void *allocator(void *arg)
{
    pthread_mutex_lock(&inode_lock);
    if (!inode) {
        pthread_mutex_lock(&block_lock);
        pthread_mutex_unlock(&block_lock);
        inode = true;
    }
    block = 1;
    assert(block == 1);
    busy = true;
    pthread_mutex_unlock(&inode_lock);
    return arg;
}

void *cleaner(void *arg)
{
    pthread_mutex_lock(&block_lock);
    if (!busy) {
        block = 0;
        assert(block == 0);
    }
    pthread_mutex_unlock(&block_lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, allocator, 0);
    pthread_create(&b, 0, cleaner, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
