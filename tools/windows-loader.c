// Calls training_data_loader.dll as Stockfish's trainer does: reads positions whose inputs are
// known, then streams of a file that it writes.
//
//   windows-loader.exe EXPECTED.TSV
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  bool filtered;
  int random_fen_skipping;
  bool wld_filtered;
  int early_fen_skipping, soft_early_fen_skipping, simple_eval_skipping, param_index;
  double pc_y[5], ply[4][2];
} SkipConfig;
typedef struct { int rank, world_size; } DdpConfig;
typedef struct {
  int num_inputs, size;
  float *is_white, *outcome, *score;
  int num_active_white_features, num_active_black_features, max_active_features;
  int *white, *black, *piece_count;
} SparseBatch;
typedef struct { int size; const char *fen; } FenText;
typedef struct { int size; FenText *fens; } FenBatch;
typedef struct Stream Stream;

Stream *create_sparse_batch_stream(const char *set, int concurrency, int num_files,
                                   const char *const *files, int batch_size, bool cyclic,
                                   SkipConfig config, DdpConfig ddp);
SparseBatch *fetch_next_sparse_batch(Stream *stream);
void destroy_sparse_batch(SparseBatch *batch);
void destroy_sparse_batch_stream(Stream *stream);
Stream *create_fen_batch_stream(int concurrency, int num_files, const char *const *files,
                                int batch_size, bool cyclic, SkipConfig config, DdpConfig ddp);
FenBatch *fetch_next_fen_batch(Stream *stream);
void destroy_fen_batch(FenBatch *batch);
void destroy_fen_batch_stream(Stream *stream);
SparseBatch *get_sparse_batch_from_fens(const char *set, int count, const char *const *fens,
                                        const int *scores, const int *plies, const int *results);

static const char *SET = "Full_Threats+PP_3Wide+HalfKAv2_hm^";
static const DdpConfig ALONE = {0, 1};
// All entries, and those that the trainer reads by default.
static const SkipConfig ALL = {.early_fen_skipping = -1};
static const SkipConfig DEFAULT = {true, 0, true, -1, 20, -1, 0, {0, .4, 1, 1, .75},
                                   {{0, .1}, {6, .15}, {10, .25}, {18, .75}}};
// A chunk of one game with three entries.
static const unsigned char CHUNK[] = {
    'B',  'I',  'N',  'P',  38,   0,    0, 0, 0x82, 0x82, 0x90, 0xd2, 0x08, 0xc0, 0x46, 0x52,
    0x48, 0x3a, 0x40, 0,    0x51, 0x10, 0x12, 0x71, 0x9b, 5,    0,    0,    0,    0,    0, 0,
    0x0a, 0x68, 1,    0x91, 0,    0x44, 0, 0, 0,    2,    0x1d, 0x18, 0xf5, 8};

static void check(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "windows-loader: failed: %s\n", what);
  exit(1);
}

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

// Compares a row of a batch with a list such as "2 357 358".
static void compare(int *row, int width, char *list) {
  int active = 0;
  while (active < width && row[active] >= 0) ++active;
  qsort(row, active, sizeof *row, ascending);
  for (int at = 0; at < active; ++at) check(strtol(list, &list, 10) == row[at], "an input");
  check(*list == 0, "the number of inputs");
}

static void known_positions(const char *path) {
  static char line[1 << 16];
  static int copy[512];
  FILE *file = fopen(path, "r");
  check(file != NULL, "open the positions");
  int count = 0;
  for (; fgets(line, sizeof line, file); ++count) {
    const char *fen = strtok(line, "\t");
    char *lists[2] = {strtok(NULL, "\t"), strtok(NULL, "\n")};
    int score = 25, ply = 30, result = -1;
    SparseBatch *batch = get_sparse_batch_from_fens(SET, 1, &fen, &score, &ply, &result);
    check(batch && batch->size == 1, "a batch of one position");
    check(*batch->is_white == (strstr(fen, " w ") != NULL), "is_white");
    check(*batch->outcome == 0 && *batch->score == 25, "outcome and score");
    int width = batch->max_active_features, *rows[2] = {batch->white, batch->black};
    check(width <= 512, "the width of a row");
    for (int view = 0; view < 2; ++view) {
      memcpy(copy, rows[view], width * sizeof *copy);
      compare(copy, width, lists[view]);
    }
    destroy_sparse_batch(batch);
  }
  check(count > 0, "at least one position");
  fclose(file);
}

static void streams(void) {
  // Paths are UTF-8.
  const char *files[] = {"\xc3\xa4.binpack", "\xc3\xa4.binpack"}, *missing = "missing.binpack";
  FILE *file = _wfopen(L"\u00e4.binpack", L"wb");
  check(file != NULL, "create a file");
  for (int chunk = 0; chunk < 100; ++chunk) fwrite(CHUNK, sizeof CHUNK, 1, file);
  check(fclose(file) == 0, "write a file");

  const int sizes[] = {250, 250, 100};
  Stream *stream = create_sparse_batch_stream(SET, 2, 2, files, 250, false, ALL, ALONE);
  check(stream != NULL, "a stream");
  for (int at = 0; at < 3; ++at) {
    SparseBatch *batch = fetch_next_sparse_batch(stream);
    check(batch && batch->size == sizes[at], "the size of a batch");
    destroy_sparse_batch(batch);
  }
  check(fetch_next_sparse_batch(stream) == NULL, "the end of a stream");
  destroy_sparse_batch_stream(stream);

  stream = create_fen_batch_stream(2, 2, files, 250, false, ALL, ALONE);
  check(stream != NULL, "a stream of FENs");
  for (int at = 0; at < 3; ++at) {
    FenBatch *batch = fetch_next_fen_batch(stream);
    check(batch && batch->size == sizes[at], "the size of a batch of FENs");
    for (int fen = 0; fen < batch->size; ++fen)
      check((int)strlen(batch->fens[fen].fen) == batch->fens[fen].size, "the length of a FEN");
    destroy_fen_batch(batch);
  }
  check(fetch_next_fen_batch(stream) == NULL, "the end of a stream of FENs");
  destroy_fen_batch_stream(stream);

  // Destroyed while its threads read, before its batch. The first batch comes when the shuffle
  // buffer is full, which takes a few seconds.
  stream = create_sparse_batch_stream(SET, 2, 2, files, 7, true, ALL, ALONE);
  check(stream != NULL, "an endless stream");
  SparseBatch *batch = fetch_next_sparse_batch(stream);
  check(batch && batch->size == 7, "a batch of an endless stream");
  destroy_sparse_batch_stream(stream);
  destroy_sparse_batch(batch);

  DdpConfig second = {1, 2}, wrong = {2, 2};
  stream = create_sparse_batch_stream(SET, 1, 2, files, 7, false, DEFAULT, second);
  check(stream != NULL, "a stream with the trainer's filters");
  destroy_sparse_batch_stream(stream);
  check(!create_sparse_batch_stream(SET, 1, 2, files, 7, false, ALL, wrong), "a wrong rank");
  check(!create_sparse_batch_stream(SET, 1, 1, &missing, 7, false, ALL, ALONE), "no file");
}

int main(int count, char **words) {
  check(count == 2, "one argument, the file of positions");
  known_positions(words[1]);
  streams();
  puts("the loader's DLL works as the trainer calls it");
}
