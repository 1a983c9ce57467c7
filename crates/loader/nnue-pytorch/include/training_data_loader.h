/* The library that takes the place of the data loader of nnue-pytorch, Stockfish's trainer: what it
 * exports, for C99 and C++. README.md beside it says what the inputs, filters and messages are.
 *
 * Which call may follow which:
 *
 * 1. A stream: create_..._stream, then fetch_next_..._batch until it returns NULL, then
 *    destroy_..._stream, once. Fetch and destroy with the functions of its kind, sparse or FEN.
 * 2. After NULL, fetching returns NULL again. A stream may be destroyed at any time, also while
 *    another thread waits in a fetch, which then returns a batch or NULL. No call may start with a
 *    stream that was destroyed.
 * 3. A batch: destroy_sparse_batch or destroy_fen_batch, once, before or after its stream is
 *    destroyed. Its arrays are valid until then, and read-only: later batches use the same memory.
 * 4. Several threads may fetch from one stream, and destroy batches, at the same time. Each batch
 *    goes to one of them.
 * 5. After a fork, the child must not use streams of its parent: it creates its own.
 *
 * NULL may be passed for every pointer. A function that needs one then returns NULL, or does
 * nothing. Every error is one line on stderr that starts with "training_data_loader: ", and NULL.
 * No function throws, or ends the process. */
#ifndef SETWISE_TRAINING_DATA_LOADER_H
#define SETWISE_TRAINING_DATA_LOADER_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which entries to skip. If filtered and wld_filtered are false, and random_fen_skipping,
 * early_fen_skipping and soft_early_fen_skipping are off, none is skipped. */
typedef struct skip_config {
  bool filtered;                 /* captures, and positions in check */
  int random_fen_skipping;       /* each with the probability n / (n + 1); at most 0: off */
  bool wld_filtered;             /* unlikely results */
  int early_fen_skipping;        /* up to this ply; below 0: off */
  int soft_early_fen_skipping;   /* before this ply, with a probability; at most 0: off */
  int simple_eval_skipping;      /* if the material differs by less; at most 0: off */
  int param_index;               /* unused */
  double pc_y0, pc_y1, pc_y2, pc_y3, pc_y4; /* wanted frequencies of 0, 8, 16, 24 and 32 pieces */
  /* Points of soft_early_fen_skipping: ply and probability of keeping. */
  double ply_x1, ply_y1, ply_x2, ply_y2, ply_x3, ply_y3, ply_x4, ply_y4;
} skip_config;

/* The number of this process, from 0, and the number of processes. Each reads other chunks. */
typedef struct ddp_config {
  int rank, world_size;
} ddp_config;

/* A batch. The floats are one block that starts at is_white, and the integers one that starts at
 * white. */
typedef struct sparse_batch {
  int num_inputs;                /* of the set */
  int size;                      /* positions */
  float *is_white;               /* 1: White is to move; 0: Black is */
  float *outcome;                /* 1 won, 0.5 drawn, 0 lost for the side to move */
  float *score;                  /* for the side to move */
  int num_active_white_features; /* in all rows of white */
  int num_active_black_features; /* in all rows of black */
  int max_active_features;       /* the width of a row */
  int *white, *black;            /* a row of each view for each position, padded with -1 */
  int *piece_count;              /* of each position */
} sparse_batch;

typedef struct fen_text {
  int size;                      /* without the zero at the end */
  const char *fen;
} fen_text;

typedef struct fen_batch {
  int size;                      /* positions */
  fen_text *fens;
} fen_batch;

typedef struct training_data_stream training_data_stream;

/* Starts threads that read files. feature_set has names joined by +, such as
 * "Full_Threats+PP_3Wide+HalfKAv2_hm". concurrency is the number of threads. With cyclic, the
 * stream has no end. Returns NULL if the set is unknown, a file cannot be opened, a setting is
 * impossible, or the trainer in the working folder is of another version. */
training_data_stream *create_sparse_batch_stream(const char *feature_set, int concurrency,
                                                 int num_files, const char *const *files,
                                                 int batch_size, bool cyclic, skip_config config,
                                                 ddp_config processes);

/* Waits for the next batch. NULL: the end, or an error. Without cyclic, the last batch may be
 * smaller. */
sparse_batch *fetch_next_sparse_batch(training_data_stream *stream);
void destroy_sparse_batch(sparse_batch *batch);
void destroy_sparse_batch_stream(training_data_stream *stream);

/* The same with FENs. */
training_data_stream *create_fen_batch_stream(int concurrency, int num_files,
                                              const char *const *files, int batch_size, bool cyclic,
                                              skip_config config, ddp_config processes);
fen_batch *fetch_next_fen_batch(training_data_stream *stream);
void destroy_fen_batch(fen_batch *batch);
void destroy_fen_batch_stream(training_data_stream *stream);

/* A batch of these positions, in their order, for destroy_sparse_batch. Each array has count
 * elements. NULL if the set is unknown, or a position or a number is impossible. */
sparse_batch *get_sparse_batch_from_fens(const char *feature_set, int count,
                                         const char *const *fens, const int *scores,
                                         const int *plies, const int *results);

#ifdef __cplusplus
}
#endif

#endif
