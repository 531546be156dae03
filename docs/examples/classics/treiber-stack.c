// expect: SAFE
//
// Treiber's stack: two threads push by compare-and-swap, and nothing is lost.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

_Atomic(struct node *) top;

static void push(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    struct node *old = top;
    do {
        node->next = old;
    } while (!atomic_compare_exchange_strong(&top, &old, node));
}

static int pop(void)
{
    struct node *old = top;
    do {
        if (!old)
            return 0;
    } while (!atomic_compare_exchange_strong(&top, &old, old->next));
    return old->value;
}

void *push_one(void *arg)
{
    push(1);
    return arg;
}

void *push_two(void *arg)
{
    push(2);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, push_one, 0);
    pthread_create(&b, 0, push_two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    int first = pop(), second = pop();
    assert(first + second == 3);
    return 0;
}
