// expect: SAFE
//
// A ring buffer for one producer and one consumer, without locks: each of the two indices
// has one writer, and an item is published by moving the index behind it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 2
#define ITEMS 3

int ring[SIZE];
atomic_uint head, tail;

void *producer(void *arg)
{
    for (int i = 1; i <= ITEMS; i++) {
        while (head - tail == SIZE)
            ;
        ring[head % SIZE] = i;
        head = head + 1;
    }
    return arg;
}

void *consumer(void *arg)
{
    for (int i = 1; i <= ITEMS; i++) {
        while (head == tail)
            ;
        assert(ring[tail % SIZE] == i);
        tail = tail + 1;
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
