/* Any bytes as the rows of a table, with every kind of cell. */
#include "../traces/kernels/json_rows.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint8_t kinds[][COLUMNS] = {{INTEGER, NUMBER, SKIPPED, NUMBER, INTEGER, ANYTHING}, {NUMBER, INTEGER}, {SKIPPED}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        Rows rows = {0};
        if (scan_rows(data, (int64_t)size, kinds[k], &rows) == OK)
            for (int64_t i = 0; i < rows.count; i++)
                for (int c = 0; c < COLUMNS; c++)
                    if (kinds[k][c] == INTEGER && ((int32_t *)rows.columns[c])[i] < -1) abort();
        forget_rows(&rows);
    }
    return 0;
}
