// SPDX-License-Identifier: MIT
// RNN, GRU and LSTM.
//
//             layout 0                                layout 1
//   X         [sequence, batch, in]                   [batch, sequence, in]
//   Y         [sequence, directions, batch, hidden]   [batch, sequence, directions, hidden]
//   Y_h, Y_c  [directions, batch, hidden]             [batch, directions, hidden]
#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

Status infer_recurrent(InferContext& ctx) {
  RETURN_IF_ERROR(expect_rank(ctx, 0, 3));
  RETURN_IF_ERROR(expect_rank(ctx, 2, 3));
  const Shape* x = input_shape(ctx, 0);
  const Shape* r = input_shape(ctx, 2);
  const bool batch_first = ctx.node().int_attribute("layout", 0) != 0;
  const Dim directions =
      Dim::known(ctx.node().string_attribute("direction", "forward") == "bidirectional" ? 2 : 1);
  Dim hidden;
  if (r != nullptr) hidden = (*r)[2];
  if (const int64_t size = ctx.node().int_attribute("hidden_size", 0); size > 0) {
    ASSIGN_OR_RETURN(hidden, equal_dims(hidden, Dim::known(size)));
  }
  Dim sequence, batch;
  if (x != nullptr) {
    sequence = (*x)[batch_first ? 1 : 0];
    batch = (*x)[batch_first ? 0 : 1];
  }
  const DType dtype = input_dtype(ctx, 0);
  const Shape last =
      batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
  set_tensor(ctx, 0, dtype,
             batch_first ? Shape{batch, sequence, directions, hidden}
                         : Shape{sequence, directions, batch, hidden});
  for (size_t i = 1; i < ctx.output_count(); ++i) set_tensor(ctx, i, dtype, last);
  return Status::ok();
}

}  // namespace

std::span<const OpRow> recurrent_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"", "GRU", 1, 3, 6, 2, 2, infer_recurrent},   {"", "GRU", 3, 3, 6, 0, 2, infer_recurrent},
      {"", "GRU", 7, 3, 6, 0, 2, infer_recurrent},   {"", "GRU", 14, 3, 6, 0, 2, infer_recurrent},
      {"", "GRU", 22, 3, 6, 0, 2, infer_recurrent},  {"", "LSTM", 1, 3, 8, 0, 3, infer_recurrent},
      {"", "LSTM", 7, 3, 8, 0, 3, infer_recurrent},  {"", "LSTM", 14, 3, 8, 0, 3, infer_recurrent},
      {"", "LSTM", 22, 3, 8, 0, 3, infer_recurrent}, {"", "RNN", 1, 3, 6, 0, 2, infer_recurrent},
      {"", "RNN", 7, 3, 6, 0, 2, infer_recurrent},   {"", "RNN", 14, 3, 6, 0, 2, infer_recurrent},
      {"", "RNN", 22, 3, 6, 0, 2, infer_recurrent},
  };
  return kRows;
}

}  // namespace ortc
