/* What library.py asks of the library itself. */
#include "bytes.h"

EXPORT int64_t kernels_abi(void) { return 23; }

/* Free a column that was handed over. */
EXPORT void release(void *column) { free(column); }
