// expect: SAFE
#include <pthread.h>
#include <assert.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int a, b;
void *writer(void *x) { pthread_rwlock_wrlock(&l); a++; b++; pthread_rwlock_unlock(&l); return 0; }
void *reader(void *x) { pthread_rwlock_rdlock(&l); assert(a == b); pthread_rwlock_unlock(&l); return 0; }
int main(void) {
  pthread_t t, u, v;
  pthread_create(&t, 0, writer, 0); pthread_create(&u, 0, reader, 0); pthread_create(&v, 0, reader, 0);
  if (pthread_rwlock_trywrlock(&l) == 0) { assert(a == b); pthread_rwlock_unlock(&l); }
  if (pthread_rwlock_tryrdlock(&l) == 0) { assert(a == b); pthread_rwlock_unlock(&l); }
}
