/* Cells and letters become pixels, in integers. Reference: rendering/kernels/pixels.py. */
#include "../../traces/kernels/bytes.h"

#define FIXED_BITS 32
#define ONE ((int64_t)1 << FIXED_BITS)

/* One line of a row: colour times coverage and coverage of each pixel, in 2**-32. `sums` holds 4 * (width + 1) zeros. */
static void add_cells(const int64_t *left, const int64_t *right, const int64_t *weight, const int64_t *colour, int64_t cells,
                      int64_t width, int64_t *sums) {
    for (int64_t i = 0; i < cells; i++) {
        if (weight[i] <= 0) continue;
        int64_t first = left[i] >> FIXED_BITS, last = (right[i] - 1) >> FIXED_BITS;
        if (first < 0 || last < first || last >= width) continue;
        if (first == last) {
            for (int c = 0; c < 3; c++) sums[4 * first + c] += colour[3 * i + c];
            sums[4 * first + 3] += weight[i];
            continue;
        }
        int64_t rgb[4] = {colour[3 * i] / weight[i], colour[3 * i + 1] / weight[i], colour[3 * i + 2] / weight[i], 1};
        int64_t head = ((first + 1) << FIXED_BITS) - left[i], tail = right[i] - (last << FIXED_BITS);
        for (int c = 0; c < 4; c++) {
            sums[4 * first + c] += head * rgb[c];
            sums[4 * last + c] += tail * rgb[c];
        }
        for (int64_t pixel = first + 1; pixel < last; pixel++)
            for (int c = 0; c < 4; c++) sums[4 * pixel + c] += ONE * rgb[c];
    }
}

static void blend_line(uint8_t *target, const int64_t *sums, int64_t width) {
    for (int64_t x = 0; x < width; x++) {
        const int64_t *sum = sums + 4 * x;
        if (!sum[3]) continue;
        int64_t open = ONE - sum[3];
        for (int c = 0; c < 3; c++) {
            int64_t value = (sum[c] + open * target[3 * x + c] + ONE / 2) >> FIXED_BITS;
            target[3 * x + c] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
        }
    }
}

/* `target` is the strip's first pixel, `stride` the bytes from line to line. `strength` is in 256ths. */
EXPORT int64_t draw_strip(uint8_t *target, int64_t stride, int64_t width, int64_t height, const int64_t *left,
                      const int64_t *right, const int64_t *weight, const int64_t *colour, int64_t cells,
                      const int64_t *edges, int64_t edge_count, const uint8_t *edge, int64_t strength) {
    int64_t *sums = calloc((size_t)width + 1, 4 * sizeof *sums);
    uint8_t *before = malloc((size_t)width * 3 + 1);
    if (!sums || !before) {
        free(sums);
        free(before);
        return NO_MEMORY;
    }
    add_cells(left, right, weight, colour, cells, width, sums);
    for (int64_t i = 0; i < edge_count; i++) {
        if (edges[i] < 0 || edges[i] >= width) continue;
        int64_t *sum = sums + 4 * edges[i];
        for (int c = 0; c < 3; c++) sum[c] = (sum[c] * (256 - strength) + edge[c] * sum[3] * strength) >> 8;
    }
    for (int64_t y = 0; y < height; y++) {
        uint8_t *line = target + y * stride;
        if (y && memcmp(line, before, (size_t)width * 3) == 0) {
            memcpy(line, line - stride, (size_t)width * 3);
            continue;
        }
        memcpy(before, line, (size_t)width * 3);
        blend_line(line, sums, width);
    }
    free(sums);
    free(before);
    return OK;
}

/* Lay letters over the picture: glyph `glyph[i]` with its pen at (x[i], y[i]). A glyph's `size` is left, top, width, height
 * and the offset of its opacities in `atlas`. Letters of one label (`label[i]`, in order) that touch a pixel count once, the
 * stronger; what lies outside is cut. */
EXPORT int64_t draw_letters(uint8_t *pixels, int64_t width, int64_t height, const int32_t *glyph, const int32_t *x,
                        const int32_t *y, const int32_t *label, int64_t letters, const int32_t *size, const uint8_t *atlas,
                        const uint8_t *colours) {
    uint8_t *mask = NULL;
    int64_t room = 0;
    for (int64_t begin = 0, end; begin < letters; begin = end) {
        int64_t low_x = width, high_x = 0, low_y = height, high_y = 0;
        for (end = begin; end < letters && label[end] == label[begin]; end++) {
            const int32_t *s = size + 5 * (int64_t)glyph[end];
            int64_t gx = x[end] + s[0], gy = y[end] + s[1];
            if (gx < low_x) low_x = gx;
            if (gy < low_y) low_y = gy;
            if (gx + s[2] > high_x) high_x = gx + s[2];
            if (gy + s[3] > high_y) high_y = gy + s[3];
        }
        if (low_x < 0) low_x = 0;
        if (low_y < 0) low_y = 0;
        if (high_x > width) high_x = width;
        if (high_y > height) high_y = height;
        if (low_x >= high_x || low_y >= high_y) continue;
        int64_t across = high_x - low_x, area = across * (high_y - low_y);
        if (!grow((void **)&mask, &room, area, 1)) {
            free(mask);
            return NO_MEMORY;
        }
        memset(mask, 0, (size_t)area);
        for (int64_t i = begin; i < end; i++) {
            const int32_t *s = size + 5 * (int64_t)glyph[i];
            const uint8_t *alpha = atlas + s[4];
            for (int64_t gy = 0; gy < s[3]; gy++) {
                int64_t py = y[i] + s[1] + gy - low_y;
                if (py < 0 || py >= high_y - low_y) continue;
                for (int64_t gx = 0; gx < s[2]; gx++) {
                    int64_t px = x[i] + s[0] + gx - low_x;
                    uint8_t ink = alpha[gy * s[2] + gx];
                    if (px >= 0 && px < across && ink > mask[py * across + px]) mask[py * across + px] = ink;
                }
            }
        }
        const uint8_t *rgb = colours + 3 * (int64_t)label[begin];
        for (int64_t py = low_y; py < high_y; py++)
            for (int64_t px = low_x; px < high_x; px++) {
                int ink = mask[(py - low_y) * across + px - low_x];
                if (!ink) continue;
                uint8_t *target = pixels + (py * width + px) * 3;
                for (int c = 0; c < 3; c++) target[c] = (uint8_t)((target[c] * (255 - ink) + rgb[c] * ink + 127) / 255);
            }
    }
    free(mask);
    return OK;
}

EXPORT int rendering_abi(void) { return 4; }
