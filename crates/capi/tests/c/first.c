/* Threads race to make the first call. All must get the same kernel and correct results. Prints the
 * kernel's name and the status. */
#include <pthread.h>
#include <stdio.h>

#include "setwise.h"

#define THREADS 16

static pthread_barrier_t start;

static void *first_call(void *unused) {
  (void)unused;
  pthread_barrier_wait(&start);
  const setwise_kernel *k = setwise_active();
  return k && k->rook_attacks_one(1, 0) == 0x01010101010101feull ? (void *)k : NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  pthread_barrier_init(&start, NULL, THREADS);
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, first_call, NULL)) return 2;
  int same = 1;
  for (int i = 0; i < THREADS; i++) {
    void *k;
    pthread_join(threads[i], &k);
    same &= k == (const void *)setwise_active();
  }
  printf("%s\n%s\n", setwise_active()->name, setwise_status());
  return !same;
}
