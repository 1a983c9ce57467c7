/* A plug-in with -DPLUGIN, or a program that calls setwise (itself or, with -DHOST, through the
 * plug-in) and another Rust library, which panics. The program exits with 0 if that library handles
 * its own panic. */
#include "setwise.h"

int plugin(void);
int other(int count);

#ifndef HOST
int plugin(void) {
  return setwise_active()->rook_attacks_one(1, 0) == 0x01010101010101feull ? 0 : 2;
}
#endif

#ifndef PLUGIN
int main(int count, char **arguments) {
  (void)arguments;
  return plugin() ? 2 : other(count);
}
#endif
