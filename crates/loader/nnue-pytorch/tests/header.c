/* Prints the layout of the header's structures, and reads a file in each order of calls that the
 * header allows. Compiles as C99 and as C++. */
#include "../include/training_data_loader.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define FIELD(type, field) printf("%s.%s %d\n", #type, #field, (int)offsetof(type, field))
#define SIZE(type) printf("%s %d\n", #type, (int)sizeof(type))

static int failed(const char *what) {
  fprintf(stderr, "header.c: %s\n", what);
  return 1;
}

int main(int count, char **arguments) {
  const char *files[1], *set = "Full_Threats+PP_3Wide+HalfKAv2_hm";
  const char *fens[1] = {"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"};
  int numbers[1] = {0};
  skip_config config;
  ddp_config alone = {0, 1};
  training_data_stream *stream;
  sparse_batch *first, *second;
  fen_batch *texts;
  int positions = 0;

  SIZE(skip_config);
  FIELD(skip_config, random_fen_skipping);
  FIELD(skip_config, wld_filtered);
  FIELD(skip_config, early_fen_skipping);
  FIELD(skip_config, soft_early_fen_skipping);
  FIELD(skip_config, simple_eval_skipping);
  FIELD(skip_config, param_index);
  FIELD(skip_config, pc_y0);
  FIELD(skip_config, ply_x1);
  FIELD(skip_config, ply_y4);
  SIZE(ddp_config);
  FIELD(ddp_config, world_size);
  SIZE(sparse_batch);
  FIELD(sparse_batch, size);
  FIELD(sparse_batch, is_white);
  FIELD(sparse_batch, outcome);
  FIELD(sparse_batch, score);
  FIELD(sparse_batch, num_active_white_features);
  FIELD(sparse_batch, max_active_features);
  FIELD(sparse_batch, white);
  FIELD(sparse_batch, black);
  FIELD(sparse_batch, piece_count);
  SIZE(fen_text);
  FIELD(fen_text, fen);
  SIZE(fen_batch);
  FIELD(fen_batch, fens);

  if (count != 2) return failed("give a file");
  files[0] = arguments[1];
  memset(&config, 0, sizeof config);
  config.early_fen_skipping = -1;

  /* All batches, then the end twice. */
  stream = create_sparse_batch_stream(set, 2, 1, files, 100, false, config, alone);
  if (!stream) return failed("no stream");
  while ((first = fetch_next_sparse_batch(stream))) {
    if (first->white[0] < 0 || first->piece_count[0] < 2) return failed("a batch has no inputs");
    positions += first->size;
    destroy_sparse_batch(first);
  }
  if (fetch_next_sparse_batch(stream)) return failed("a batch after the end");
  destroy_sparse_batch_stream(stream);
  printf("positions %d\n", positions);

  /* Two batches outlive their stream. */
  stream = create_sparse_batch_stream(set, 1, 1, files, 50, false, config, alone);
  first = fetch_next_sparse_batch(stream);
  second = fetch_next_sparse_batch(stream);
  if (!first || !second) return failed("no batch");
  destroy_sparse_batch_stream(stream);
  if (first->size != 50 || second->size != 50) return failed("a batch is not full");
  destroy_sparse_batch(second);
  destroy_sparse_batch(first);

  stream = create_fen_batch_stream(1, 1, files, 7, false, config, alone);
  texts = fetch_next_fen_batch(stream);
  if (!texts || texts->size != 7) return failed("no FENs");
  if ((int)strlen(texts->fens[6].fen) != texts->fens[6].size) return failed("a FEN's length");
  destroy_fen_batch_stream(stream);
  destroy_fen_batch(texts);

  first = get_sparse_batch_from_fens(set, 1, fens, numbers, numbers, numbers);
  if (!first || first->piece_count[0] != 3 || first->is_white[0] != 1.0f) {
    return failed("a batch of a FEN");
  }
  destroy_sparse_batch(first);

  /* NULL everywhere. */
  if (create_sparse_batch_stream(NULL, 1, 1, files, 1, false, config, alone) ||
      create_fen_batch_stream(1, 1, NULL, 1, false, config, alone) ||
      get_sparse_batch_from_fens(set, 1, NULL, NULL, NULL, NULL) ||
      fetch_next_sparse_batch(NULL) || fetch_next_fen_batch(NULL)) {
    return failed("NULL was taken");
  }
  destroy_sparse_batch(NULL);
  destroy_fen_batch(NULL);
  destroy_sparse_batch_stream(NULL);
  destroy_fen_batch_stream(NULL);
  return 0;
}
