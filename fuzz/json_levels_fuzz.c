/* Any bytes as a JSON document that may break off, with little and with all room. */
#include "../traces/kernels/json_levels.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Level levels[MAX_JSON_DEPTH];
    for (int64_t room = 2; room <= MAX_JSON_DEPTH; room *= 480) {
        Place place = {0};
        int64_t outcome = scan_levels(data, (int64_t)size, levels, room, &place);
        if (place.end < 0 || place.end > (int64_t)size || place.depth > room) abort();
        for (int64_t i = 0; outcome == TRUNCATED && i < place.depth; i++)
            if (levels[i].kept > (int64_t)size || levels[i].kept < 1 || levels[i].count < 0) abort();
    }
    return 0;
}
