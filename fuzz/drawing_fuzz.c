/* Any bytes as a tree and as rows of boxes, in order or not, that become cells, runs, pixels and letters. */
#include "../rendering/kernels/cells.c"
#include "../rendering/kernels/layout.c"
#include "../rendering/kernels/pixels.c"

enum { MOST = 256, WIDTH = 24, HEIGHT = 6, ROWS = 3, KINDS = 5, ROOM = 2 * WIDTH + 1, SLOTS = 128, GLYPHS = 2 };

static const uint8_t *bytes;
static size_t size_of_all;

/* Number `i` of eight bytes; goes round. */
static int64_t number_at(size_t i) {
    uint8_t found[8];
    for (size_t at = 0; at < 8; at++) found[at] = bytes[(8 * i + at) % size_of_all];
    int64_t number;
    memcpy(&number, found, sizeof number);
    return number;
}

static uint8_t byte(size_t i) { return bytes[i % size_of_all]; }

/* A tree, its nodes side by side, and the cells of its middle rows. */
static void lay_out(int64_t count) {
    int32_t parent[MOST], kind[MOST], level[MOST], node[MOST], kind_out[MOST], cell_kind[ROWS * ROOM];
    int64_t rank[KINDS], integers[MOST], row_end[MOST] = {0}, used[ROWS] = {0}, hidden[ROWS] = {0};
    double weight[MOST], start[MOST], end[MOST];
    static int64_t column[5][ROWS * ROOM], colour[3 * ROWS * ROOM];
    uint8_t palette[3 * KINDS];
    for (size_t i = 0; i < sizeof palette; i++) palette[i] = byte(i + 7);
    for (size_t i = 0; i < KINDS; i++) rank[i] = byte(i + 2) % 3;
    for (int64_t i = 0; i < count; i++) {
        uint8_t chosen = byte((size_t)i);
        parent[i] = (int32_t)(chosen >= 250 ? i + 255 - chosen : chosen % 4 ? i - 1 - chosen % 16 : -1);
        if (parent[i] < -1) parent[i] = -1;
        kind[i] = byte((size_t)i + 3) == 251 ? KINDS : byte((size_t)i + 3) % KINDS;
        weight[i] = byte((size_t)i + 1) % 5;
        if (byte((size_t)i + 1) == 255) memcpy(&weight[i], &(uint64_t){(uint64_t)number_at((size_t)i)}, sizeof weight[i]);
        integers[i] = byte((size_t)i + 1) == 254 ? number_at((size_t)i) : byte((size_t)i + 1) % 5;
    }
    for (int turn = 0; turn < 2; turn++) {
        const int64_t *integral = turn ? integers : NULL;
        const double *broken = turn ? NULL : weight;
        int64_t rows = find_rows(parent, integral, broken, kind, KINDS, count, level);
        if (rows < 0) return;
        memset(row_end, 0, sizeof row_end);
        if (side_by_side(parent, level, integral, broken, kind, rank, count, rows, node, start, end, kind_out, row_end) != OK) abort();
        int64_t before_row = 0;
        for (int64_t row = 0; row < rows; row++) {
            if (row_end[row] <= before_row || row_end[row] > count) abort();
            for (; before_row < row_end[row]; before_row++)
                if (node[before_row] < 0 || node[before_row] >= count || level[node[before_row]] != row) abort();
        }
        uint8_t marked[KINDS] = {0};
        if (find_kinds(level, kind, count, 1, 1 + ROWS, KINDS, marked) != OK) abort();
        double high = 1 + byte(4) % 60, scale = WIDTH * 4294967296.0 / high;
        memset(used, 0, sizeof used);
        merge_tree(parent, level, integral, broken, kind, rank, count, byte(5) % 3, ROWS, 0, scale, 0, high, WIDTH,
                   (int64_t)(byte(2) % 4) << 29, palette, KINDS, ROOM, column[0], column[1], column[2], column[3], column[4],
                   colour, cell_kind, used, hidden);
        for (size_t row = 0; row < ROWS; row++)
            if (used[row] > ROOM) abort();
    }
}

static void draw(const int64_t *left, const int64_t *right, const int64_t *weight, const int64_t *colour, int64_t cells) {
    uint8_t *picture = calloc(WIDTH * HEIGHT, 3);
    int64_t edges[4];
    if (!picture) abort();
    for (size_t i = 0; i < 4; i++) edges[i] = byte(i + 40) % (WIDTH + 4) - 2;
    uint8_t edge[3] = {byte(50), byte(51), byte(52)};
    if (draw_strip(picture, WIDTH * 3, WIDTH, HEIGHT, left, right, weight, colour, cells, edges, 4, edge, byte(53)) != OK) abort();
    int32_t glyph[8], x[8], y[8], label[8], size[5 * GLYPHS] = {-2, -3, 5, 4, 0, 1, 0, 3, 2, 20};
    uint8_t atlas[26], colours[24];
    for (size_t i = 0; i < 26; i++) atlas[i] = byte(i + 60);
    for (size_t i = 0; i < 24; i++) colours[i] = byte(i + 90);
    for (size_t i = 0; i < 8; i++) {
        glyph[i] = byte(i) % GLYPHS;
        x[i] = byte(i + 8) % 3 ? byte(i + 8) % 40 - 8 : (int32_t)number_at(i);
        y[i] = byte(i + 16) % 3 ? byte(i + 16) % 12 - 3 : (int32_t)number_at(i + 1);
        label[i] = i ? label[i - 1] + (byte(i + 24) % 3 == 0) : 0;
    }
    if (draw_letters(picture, WIDTH, HEIGHT, glyph, x, y, label, 8, size, atlas, colours) != OK) abort();
    free(picture);
}

static void merge(int64_t boxes, int with_items) {
    size_t rows = with_items ? ROWS : 1, room = rows * ROOM;
    int64_t *column[5], *colour = malloc(room * 3 * sizeof *colour), used[ROWS] = {0}, hidden[ROWS] = {0};
    int32_t *kind = malloc(room * sizeof *kind), item[MOST], item_row[KINDS], item_kind[KINDS];
    int64_t start[MOST], end[MOST], at = 0;
    double low = byte(3) % 20, high = low + byte(4) % 60, begin[MOST], stop[MOST];
    uint8_t palette[3 * KINDS];
    for (size_t i = 0; i < 5; i++)
        if (!(column[i] = malloc(room * sizeof **column))) abort();
    if (!colour || !kind) abort();
    for (size_t i = 0; i < sizeof palette; i++) palette[i] = byte(i + 7);
    for (size_t i = 0; i < KINDS; i++) {
        item_row[i] = byte(i + 30) % (ROWS + 2) - 1;
        item_kind[i] = byte(i + 35) == 77 ? KINDS : byte(i + 35) % KINDS;
    }
    for (int64_t i = 0; i < boxes; i++) {
        uint8_t chosen = byte((size_t)i + 5);
        at += byte((size_t)i + 6) == 254 ? -3 : chosen % 3;
        start[i] = chosen == 255 ? number_at((size_t)i) : at;
        end[i] = chosen == 253 ? number_at((size_t)i + 1) : (at += chosen % 7);
        memcpy(&begin[i], &start[i], sizeof *begin); /* NaN and infinity come as well */
        if (chosen != 255) begin[i] = (double)start[i] / 3;
        stop[i] = (double)end[i] / 3;
        item[i] = chosen == 252 ? (int32_t)number_at((size_t)i) : chosen % KINDS;
    }
    double scale = WIDTH * 4294967296.0 / (high - low + 1);
    int64_t least = byte(2) % 4 ? 0 : (int64_t)byte(2) << 25;
    for (int turn = 0; turn < 2; turn++) {
        memset(used, 0, sizeof used);
        const int32_t *in_row = with_items ? item_row : NULL, *of_kind = with_items ? item_kind : NULL;
        int64_t outcome = turn
            ? merge_boxes_double(begin, stop, item, boxes, in_row, of_kind, KINDS, low, scale, low, high, WIDTH, least,
                                 (int64_t)rows, palette, KINDS, ROOM, column[0], column[1], column[2], column[3], column[4],
                                 colour, kind, used, hidden)
            : merge_boxes_int64(start, end, item, boxes, in_row, of_kind, KINDS, low, scale, low, high, WIDTH, least,
                                (int64_t)rows, palette, KINDS, ROOM, column[0], column[1], column[2], column[3], column[4],
                                colour, kind, used, hidden);
        for (size_t row = 0; row < rows && outcome == OK; row++) {
            if (used[row] > ROOM) abort();
            size_t from = row * ROOM;
            int32_t slots[SLOTS] = {0};
            int64_t first[ROOM], last[ROOM], heavy[ROOM], sums[ROOM + 1];
            int64_t runs = find_runs(column[0] + from, column[1] + from, column[2] + from, column[3] + from, kind + from,
                                     used[row], (int64_t)byte(1) << 26, (int64_t)3 << 32, (int64_t)byte(9) << 27, 7, slots,
                                     SLOTS, first, last, heavy, sums);
            for (int64_t i = 0; i < runs; i++)
                if (first[i] > last[i] || last[i] >= used[row]) abort();
            draw(column[0] + from, column[1] + from, column[2] + from, colour + 3 * from, used[row]);
        }
    }
    for (size_t i = 0; i < 5; i++) free(column[i]);
    free(colour);
    free(kind);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    bytes = data;
    size_of_all = size;
    int64_t count = 1 + (int64_t)(size < MOST ? size - 1 : MOST - 1);
    lay_out(count);
    merge(count, 0);
    merge(count, 1);
    int64_t numbers[4 * 8];
    for (size_t i = 0; i < 32; i++) numbers[i] = number_at(i) >> byte(i) % 40;
    draw(numbers, numbers + 2, numbers + 4, numbers + 8, 2); /* cells that no merge makes */
    return 0;
}
