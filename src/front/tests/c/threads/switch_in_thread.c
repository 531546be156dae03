// expect: SAFE
#include <pthread.h>
#include <assert.h>
int state;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *x) {
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&m);
    switch (state) { case 0: state = 1; break; case 1: state = 2; default: state = 0; }
    assert(state == 0 || state == 1);
    pthread_mutex_unlock(&m);
  }
  return 0;
}
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); }
