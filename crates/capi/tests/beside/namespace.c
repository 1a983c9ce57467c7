/* Loads the dynamic library, the only argument, into a namespace of its own, where it can use only
 * the libraries that it names itself. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "setwise.h"

int main(int count, char **arguments) {
  void *library = count == 2 ? dlmopen(LM_ID_NEWLM, arguments[1], RTLD_NOW) : NULL;
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const setwise_kernel *(*by_name)(const char *);
  void *symbol = dlsym(library, "setwise_by_name");
  memcpy(&by_name, &symbol, sizeof by_name);
  const setwise_kernel *k = by_name("scalar");
  return !k || k->rook_attacks_one(1, 0) != 0x01010101010101feull;
}
