// Calls each function of training_data_loader.dll from C: reads positions, then streams of a file
// that it writes. (The tests of setwise-nnue-pytorch compare the inputs.)
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

static void positions(void) {
  const char *fens[] = {"7k/8/8/8/8/8/8/KQ6 w - - 0 1", "7k/8/8/8/8/8/8/KQ6 b - - 0 1"};
  const int scores[] = {25, -25}, plies[] = {30, 31}, results[] = {-1, 1};
  SparseBatch *batch = get_sparse_batch_from_fens(SET, 2, fens, scores, plies, results);
  check(batch && batch->size == 2, "a batch of two positions");
  check(batch->is_white[0] == 1 && batch->is_white[1] == 0, "is_white");
  check(batch->outcome[0] == 0 && batch->outcome[1] == 1, "outcome");
  check(batch->score[0] == 25 && batch->score[1] == -25, "score");
  check(batch->white[0] >= 0 && batch->piece_count[1] > 0, "inputs");
  destroy_sparse_batch(batch);
}

static void streams(void) {
  // Paths are UTF-8.
  const char *files[] = {"\xc3\xa4.binpack", "\xc3\xa4.binpack"};
  FILE *file = _wfopen(L"\u00e4.binpack", L"wb");
  check(file != NULL, "create a file");
  for (int chunk = 0; chunk < 100; ++chunk) fwrite(CHUNK, sizeof CHUNK, 1, file);
  check(fclose(file) == 0, "write a file");

  const int sizes[] = {250, 250, 100};
  Stream *stream = create_sparse_batch_stream(SET, 2, 2, files, 250, false, ALL, ALONE);
  check(stream != NULL, "a stream");
  for (int i = 0; i < 3; ++i) {
    SparseBatch *batch = fetch_next_sparse_batch(stream);
    check(batch && batch->size == sizes[i], "the size of a batch");
    destroy_sparse_batch(batch);
  }
  check(fetch_next_sparse_batch(stream) == NULL, "the end of a stream");
  destroy_sparse_batch_stream(stream);

  stream = create_fen_batch_stream(2, 2, files, 250, false, ALL, ALONE);
  check(stream != NULL, "a stream of FENs");
  for (int i = 0; i < 3; ++i) {
    FenBatch *batch = fetch_next_fen_batch(stream);
    check(batch && batch->size == sizes[i], "the size of a batch of FENs");
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
}

int main(void) {
  positions();
  streams();
  puts("the loader's DLL works as the trainer calls it");
}
