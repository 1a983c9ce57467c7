/* The cases that `cargo run -p setwise-check --example cases FOLDER` writes, with the oracle's
 * results. The assembler puts a file from CASES_FOLDER into the program. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#define READ_ONLY ".section .rdata,\"dr\"\n"
#else
#define READ_ONLY ".section .rodata\n"
#endif
#define CASES(name)                                                           \
  __asm__(READ_ONLY ".balign 8\n.globl cases\ncases: .incbin \"" CASES_FOLDER \
          "/" name "\"\n.globl cases_end\ncases_end: .byte 0\n.text\n");
#ifdef __cplusplus
extern "C" {
#endif
extern const uint8_t cases[], cases_end[];
#ifdef __cplusplus
}
#endif

static inline void expect(int holds, const char *where, const char *what) {
  if (holds) return;
  printf("FAILED: %s: %s\n", where, what);
  exit(1);
}

/* An operation: its arguments for some boards and the oracle's results, in columns. */
typedef struct operation {
  char name[40];
  uint32_t parameter, boards, inputs, outputs, sizes[18];
} operation;

/* Calls an operation on columns, inputs first. Returns 0 if there is no such function. */
typedef int call(const operation *o, void *const *columns, size_t boards);

/* Runs a function on every operation with batches of several lengths, and compares the results and
 * the element after the last one. Returns the number of operations that the function has. */
static inline int run(call *function, const char *where) {
  static const size_t LENGTHS[] = {0, 1, 2, 3, 7, 31, 32, 33, 65, 500};
  const uint8_t *next = cases;
  int called = 0;
  while (next < cases_end) {
    const operation *o = (const operation *)(const void *)next;
    const uint32_t arguments = o->inputs + o->outputs;
    const uint8_t *given[18];
    void *columns[18];
    char place[120];
    next += sizeof *o;
    for (uint32_t i = 0; i < arguments; i++) {
      given[i] = next;
      next += (o->sizes[i] * o->boards + 7) / 8 * 8;
      columns[i] = malloc(o->sizes[i] * (o->boards + 1));
    }
    snprintf(place, sizeof place, "%s, %s %u", where, o->name, o->parameter);
    int found = 1;
    for (size_t l = 0; found && l < sizeof LENGTHS / sizeof *LENGTHS; l++) {
      const size_t n = LENGTHS[l];
      for (uint32_t i = 0; i < arguments; i++) {
        if (i < o->inputs) memcpy(columns[i], given[i], o->sizes[i] * o->boards);
        else memset(columns[i], 0xa5, o->sizes[i] * (n + 1));
      }
      found = function(o, columns, n);
      for (uint32_t i = o->inputs; found && i < arguments; i++) {
        const uint8_t *got = (const uint8_t *)columns[i], *after = got + o->sizes[i] * n;
        expect(!memcmp(got, given[i], o->sizes[i] * n), place, "differs from the oracle");
        for (uint32_t b = 0; b < o->sizes[i]; b++) expect(after[b] == 0xa5, place, "writes too far");
      }
    }
    for (uint32_t i = 0; i < arguments; i++) free(columns[i]);
    called += found;
  }
  return called;
}
