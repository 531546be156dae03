// expect: SAFE
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
struct message { int a, b; };
void *f(void *x) { struct message *m = x; assert(m->a + m->b == 7); m->a = 10; return m; }
int main(void) {
  pthread_t t, u;
  struct message *m = malloc(sizeof *m), *n = malloc(sizeof *n);
  m->a = 3; m->b = 4;
  *n = *m;
  void *r;
  pthread_create(&t, 0, f, m); pthread_create(&u, 0, f, n);
  pthread_join(t, &r);
  assert(r == m && m->a == 10);
  pthread_join(u, 0);
  free(m); free(n);
}
