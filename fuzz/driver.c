/* Mutates a corpus and feeds a harness, for compilers without libFuzzer: DRIVER FOLDER SECONDS SEED [CRASH].
 *
 * The input that stops the program, or takes it more than TOO_LONG seconds, is left in CRASH; DRIVER FILE tries it again.
 */
#include <dirent.h>
#include <sanitizer/common_interface_defs.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TOO_LONG 20
#define MAX_FILES 512
#define MAX_BYTES (1 << 16)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    uint8_t *bytes;
    size_t size;
} Input;

static uint64_t state;
static const char *crash_path;
static const uint8_t *trying;
static size_t trying_size;

static void keep_input(void) {
    FILE *file = crash_path ? fopen(crash_path, "wb") : NULL;
    if (!file) return;
    fwrite(trying, 1, trying_size, file);
    fclose(file);
}

static void stop(int signal_number) {
    keep_input();
    fprintf(stderr, "stopped by signal %d\n", signal_number);
    _exit(1);
}

static uint64_t random_below(uint64_t limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return limit ? (state * 0x2545f4914f6cdd1du >> 16) % limit : 0;
}

static Input read_file(const char *path) {
    Input input = {malloc(MAX_BYTES), 0};
    FILE *file = fopen(path, "rb");
    if (!file || !input.bytes) {
        perror(path);
        exit(2);
    }
    input.size = fread(input.bytes, 1, MAX_BYTES, file);
    fclose(file);
    return input;
}

static const char *const TOKENS[] = {
    "{", "}", "[", "]", "\"", "\\", "\\u", "\\ud800", "\\udc00", ",", ":", "null", "true", "1e400", "-0", "0.0005",
    "99999999999999999999", "9223372036854775807", "\"name\":", "\"ts\":", "\"args\":", "\"children\":[", "\"callFrame\":{",
    "[[[[[[[[[[[[[[[[", "\n", ";", " 1\n", "\r", "#", "\xff", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", "\x0a\x7f",
};

/* Change `size` bytes of `bytes`, which has room for MAX_BYTES; returns the new size. */
static size_t mutate(uint8_t *bytes, size_t size, const Input *others, size_t count) {
    for (uint64_t times = 1 + random_below(6); times; times--) {
        size_t at = random_below(size + 1), span = random_below(size - at + 1);
        const Input *other = &others[random_below(count)];
        const char *token = TOKENS[random_below(sizeof TOKENS / sizeof *TOKENS)];
        size_t length = strlen(token), from = random_below(other->size + 1), copied = random_below(other->size - from + 1);
        switch (random_below(7)) {
            case 0: if (at < size) bytes[at] ^= (uint8_t)(1u << random_below(8)); break;
            case 1: if (at < size) bytes[at] = (uint8_t)random_below(256); break;
            case 2: size = at; break;
            case 3: memmove(bytes + at, bytes + at + span, size - at - span); size -= span; break;
            case 4:
                if (size + length > MAX_BYTES) break;
                memmove(bytes + at + length, bytes + at, size - at);
                memcpy(bytes + at, token, length);
                size += length;
                break;
            case 5:
                if (at + copied > MAX_BYTES) break;
                memcpy(bytes + at, other->bytes + from, copied);
                if (at + copied > size) size = at + copied;
                break;
            default:
                if (size + span > MAX_BYTES) break;
                memmove(bytes + at + span, bytes + at, size - at);
                size += span;
        }
    }
    return size;
}

static void try_once(const uint8_t *bytes, size_t size) {
    uint8_t *exact = malloc(size ? size : 1); /* its own block, so that one byte too far is seen */
    if (!exact) exit(2);
    memcpy(exact, bytes, size);
    trying = bytes;
    trying_size = size;
    alarm(TOO_LONG);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

int main(int count, char **arguments) {
    if (count == 2) {
        Input input = read_file(arguments[1]);
        try_once(input.bytes, input.size);
        free(input.bytes);
        return 0;
    }
    if (count < 5) return 2;
    static Input corpus[MAX_FILES];
    static uint8_t bytes[MAX_BYTES];
    size_t files = 0;
    DIR *folder = opendir(arguments[1]);
    for (struct dirent *entry; folder && files < MAX_FILES && (entry = readdir(folder));)
        if (entry->d_name[0] != '.') {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", arguments[1], entry->d_name);
            corpus[files++] = read_file(path);
        }
    if (!files) return 2;
    closedir(folder);
    crash_path = arguments[4];
    __sanitizer_set_death_callback(keep_input);
    signal(SIGABRT, stop);
    signal(SIGALRM, stop);
    state = strtoull(arguments[3], NULL, 10) * 2654435769u + 88172645463325252u;
    time_t until = time(NULL) + strtol(arguments[2], NULL, 10);
    unsigned long tries = 0;
    for (size_t i = 0; i < files; i++) try_once(corpus[i].bytes, corpus[i].size);
    for (; time(NULL) < until; tries++) {
        const Input *chosen = &corpus[random_below(files)];
        memcpy(bytes, chosen->bytes, chosen->size);
        size_t size = mutate(bytes, chosen->size, corpus, files);
        try_once(bytes, size);
    }
    for (size_t i = 0; i < files; i++) free(corpus[i].bytes);
    printf("%lu inputs, no fault\n", tries);
    return 0;
}
