// expect: SAFE
#include <pthread.h>
#include <assert.h>
int small;
int main(void) { assert(!pthread_equal(pthread_self(), small)); }
