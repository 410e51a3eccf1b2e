/* Functions that call each other: Tarjan's strongly connected components of a graph given by its edges. */
#include "bytes.h"

/* `group` of each node: groups are numbered from 0, callees before callers. The callees of node i are
 * `callee[first[i] .. first[i + 1])`. MALFORMED: a callee is no node. */
EXPORT int64_t find_cycles(const int64_t *first, const int32_t *callee, int64_t nodes, int32_t *group) {
    int32_t *order = malloc((size_t)(nodes + 1) * sizeof *order); /* when it was met; -1: not yet */
    int32_t *low = malloc((size_t)(nodes + 1) * sizeof *low);
    int32_t *path = malloc((size_t)(nodes + 1) * sizeof *path); /* nodes of groups that are not complete */
    int32_t *running = malloc((size_t)(nodes + 1) * sizeof *running);
    int64_t *next = malloc((size_t)(nodes + 1) * sizeof *next); /* the edge at which each goes on */
    int outcome = order && low && path && running && next ? OK : NO_MEMORY;
    int32_t met = 0, groups = 0;
    int64_t on_path = 0, depth = 0;
    for (int64_t i = 0; outcome == OK && i < nodes; i++) {
        order[i] = group[i] = -1;
        for (int64_t edge = first[i]; edge < first[i + 1]; edge++)
            if (callee[edge] < 0 || callee[edge] >= nodes) outcome = MALFORMED;
    }
    for (int64_t start = 0; outcome == OK && start < nodes; start++) {
        if (order[start] >= 0) continue;
        for (int32_t entered = (int32_t)start; entered >= 0 || depth > 0;) {
            if (entered >= 0) {
                order[entered] = low[entered] = met++;
                path[on_path++] = entered;
                next[entered] = first[entered];
                running[depth++] = entered;
            }
            int32_t at = running[depth - 1];
            entered = -1;
            while (entered < 0 && next[at] < first[at + 1]) {
                int32_t to = callee[next[at]++];
                if (order[to] < 0)
                    entered = to;
                else if (group[to] < 0 && order[to] < low[at])
                    low[at] = order[to];
            }
            if (entered >= 0) continue;
            if (--depth > 0 && low[at] < low[running[depth - 1]]) low[running[depth - 1]] = low[at];
            if (low[at] != order[at]) continue;
            while (group[at] < 0) group[path[--on_path]] = groups;
            groups++;
        }
    }
    free(order);
    free(low);
    free(path);
    free(running);
    free(next);
    return outcome;
}
