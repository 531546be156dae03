// expect: UNSAFE
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <sys/time.h>
#include <assert.h>
time_t *nowhere;
char **no_end;
int *no_state;
struct timeval *no_time;
int main(void) {
  time(nowhere);
  strtol("12", no_end, 10);
  pthread_setcancelstate(0, no_state);
  gettimeofday(no_time, 0);
  assert(0);
}
