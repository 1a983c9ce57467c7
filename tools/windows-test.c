// The one function that Rust's standard library needs and Debian's Wine 8 lacks.
#include <windows.h>

// `RtlGenRandom` under the name by which advapi32.dll exports it.
BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG bytes);

__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *data, SIZE_T bytes) {
  return SystemFunction036(data, (ULONG)bytes);
}
