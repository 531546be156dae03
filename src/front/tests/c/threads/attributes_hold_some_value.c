// expect: UNSAFE
#include <pthread.h>
#include <assert.h>
int main(void) {
  pthread_attr_t attributes;
  int state = 0;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_getdetachstate(&attributes, &state);
  assert(state == 0);
}
