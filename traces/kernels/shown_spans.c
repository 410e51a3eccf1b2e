/* The calls that a transformed tree shows. Reference: traces/kernels/shown_spans.py. */
#include "bytes.h"

/* Spans with parents first; `shown` and `leaf` lead from their nodes to those of the other tree, -1 for none. For each span:
 * `place`, which of the shown ones it is or lies in (-1: none). For each shown one: `row`, `above` it, its `to` node, and in
 * `own` what it and those in it that went into it had themselves. Returns how many are shown, or -outcome. */
#define SHOWN(NAME, VALUE)                                                                                                   \
    EXPORT int64_t NAME(const int32_t *node, const int32_t *parent, const VALUE *self, int64_t spans, const int32_t *shown,  \
                        const int32_t *leaf, int64_t nodes, int32_t *place, int64_t *row, int32_t *above, int32_t *to,       \
                        VALUE *own) {                                                                                        \
        int64_t kept = 0;                                                                                                    \
        for (int64_t i = 0; i < spans; i++) {                                                                                \
            int64_t at = node[i], from = parent[i];                                                                          \
            if (at < 0 || at >= nodes || from >= i) return -OUT_OF_RANGE;                                                    \
            int32_t around = from < 0 ? -1 : place[from];                                                                    \
            if (shown[at] >= 0) {                                                                                            \
                row[kept] = i;                                                                                               \
                above[kept] = around;                                                                                        \
                to[kept] = shown[at];                                                                                        \
                own[kept] = 0;                                                                                               \
                around = (int32_t)kept++;                                                                                    \
            }                                                                                                                \
            place[i] = around;                                                                                               \
            if (around >= 0 && leaf[at] >= 0) own[around] += self[i];                                                        \
        }                                                                                                                    \
        return kept;                                                                                                         \
    }

SHOWN(shown_spans_int64, int64_t)
SHOWN(shown_spans_float64, double)
