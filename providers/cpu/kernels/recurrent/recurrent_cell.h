// SPDX-License-Identifier: MIT
// RNN, GRU and LSTM: their record, their sizes, how their weights lie, and their scratch.
#pragma once

#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/bind/thread_slots.h"
#include "providers/cpu/kernels/recurrent/byte_rows.h"
#include "providers/cpu/products/batched_product.h"
#include "providers/cpu/products/gate_function.h"
#include "providers/cpu/products/narrow_panels.h"
#include "providers/cpu/products/packed_size.h"

namespace ortc::cpu {

enum class Cell : uint32_t { kRnn = 0, kGru = 1, kLstm = 2 };
enum class RecurrentDirection : uint32_t { kForward = 0, kReverse = 1, kBoth = 2 };

constexpr size_t cell_gates(Cell cell) {
  return cell == Cell::kLstm ? 4 : cell == Cell::kGru ? 3 : 1;
}
constexpr size_t cell_functions(Cell cell) { return static_cast<size_t>(cell) + 1; }

struct RecurrentParams {
  uint32_t record_bytes;
  uint32_t cell;       // Cell
  uint32_t direction;  // RecurrentDirection
  uint32_t batch_first;
  uint32_t linear_before_reset;
  uint32_t input_forget;
  float clip;  // 0: none
  GateFunction functions[6];
};
static_assert(sizeof(RecurrentParams) == 100);

struct RecurrentSizes {
  int64_t steps, batch, in, hidden, directions, gates;
};

inline RecurrentSizes recurrent_sizes(const RecurrentParams& params, const ValueRef& x,
                                      int64_t hidden) {
  const bool batch_first = params.batch_first != 0;
  return {x.dim(batch_first ? 1 : 0),
          x.dim(batch_first ? 0 : 1),
          x.dim(2),
          hidden,
          params.direction == static_cast<uint32_t>(RecurrentDirection::kBoth) ? 2 : 1,
          static_cast<int64_t>(cell_gates(static_cast<Cell>(params.cell)))};
}

// Elements of one direction's W and R as panels; GRU's last gate has panels of its own. Bytes are
// panels of gemm_i8.h, of cells other than GRU.
struct RecurrentPanels {
  int64_t w = 0, r = 0, r_last = 0;
};

inline std::optional<RecurrentPanels> recurrent_byte_panels(int64_t gates, int64_t in,
                                                            int64_t hidden) {
  const auto wide = checked_mul(gates, hidden);
  const auto bytes = [&wide](int64_t depth) -> std::optional<int64_t> {
    // Of floats, which are more but for a panel's header.
    const auto floats = wide ? checked_packed_size(depth, *wide) : std::nullopt;
    if (!floats || *floats > INT64_MAX / 1024) return std::nullopt;
    return static_cast<int64_t>(
        packed_bytes_i8(static_cast<size_t>(depth), static_cast<size_t>(*wide)));
  };
  const auto w = bytes(in), r = bytes(hidden);
  if (!w || !r) return std::nullopt;
  return RecurrentPanels{*w, *r, 0};
}

inline std::optional<RecurrentPanels> recurrent_panels(int64_t gates, int64_t in, int64_t hidden) {
  const auto wide = checked_mul(gates, hidden);
  const auto w = wide ? checked_packed_size(in, *wide) : std::nullopt;
  const auto r = w ? checked_packed_size(hidden, gates == 3 ? 2 * hidden : *wide) : std::nullopt;
  const auto last = r ? checked_packed_size(hidden, hidden) : std::nullopt;
  if (!last) return std::nullopt;
  return RecurrentPanels{*w, *r, gates == 3 ? *last : 0};
}

// How W and R lie: as in the model, or as panels, which may be of 16 or 8 bits.
enum class RecurrentWeights { kPlain, kPanels, kHalfPanels, kBytePanels };

inline RecurrentWeights recurrent_weights(const ValueRef& w) {
  if (w.rank != 1) return RecurrentWeights::kPlain;
  if (w.dtype == DType::kInt8) return RecurrentWeights::kBytePanels;
  return is_half(w.dtype) ? RecurrentWeights::kHalfPanels : RecurrentWeights::kPanels;
}

// The scales of W or R of 8 bits: [directions, gates hidden].
constexpr size_t scales_input(size_t input) { return input + 7; }

// Of each thread: a block of W's 16-bit panels as floats.
inline uint64_t recurrent_room(const RecurrentSizes& s) {
  return align_up(narrow_room(static_cast<size_t>(s.in)) * sizeof(float), 64);
}

// Offsets in scratch; those of one direction are used again by the other.
struct RecurrentScratch {
  uint64_t inputs, bias, packed, packed_last, recurrent, h, c, reset, product;
  ByteRowsScratch bytes;
};

inline Result<RecurrentScratch> lay_out_recurrent(const RecurrentSizes& s, DType dtype, int threads,
                                                  RecurrentWeights weights, ScratchPlan* plan) {
  const size_t size = element_bytes(dtype);
  const auto wide = checked_mul(s.gates, s.hidden);
  const auto rows = checked_mul(s.steps, s.batch);
  const auto inputs = wide && rows ? checked_mul(*wide, *rows) : std::nullopt;
  const auto states = checked_mul(s.batch, s.hidden);
  const auto depth =
      wide ? checked_mul(s.hidden, *wide + 2 * static_cast<int64_t>(kPanelColumns)) : std::nullopt;
  if (!inputs || !states || !depth) return invalid_argument("sequences that are too long");
  RecurrentScratch scratch{};
  scratch.inputs = plan->add(*inputs, size);
  scratch.bias = plan->add(*wide, size);
  if (weights == RecurrentWeights::kBytePanels) {
    scratch.bytes = lay_out_byte_rows(*rows, std::max(s.in, s.hidden), *wide, plan);
  } else if (weights == RecurrentWeights::kHalfPanels) {
    const auto rooms = slot_scratch(recurrent_room(s), threads);
    scratch.product =
        plan->add<std::byte>(rooms && *rooms <= INT64_MAX ? static_cast<int64_t>(*rooms) : -1);
  } else if (dtype == DType::kFloat32 && weights == RecurrentWeights::kPlain) {
    // GRU's last gate may need a product of its own.
    const int64_t first = s.gates == 3 ? 2 * s.hidden : *wide;
    scratch.packed = plan->add<float>(static_cast<int64_t>(
        packed_size(static_cast<size_t>(s.hidden), static_cast<size_t>(first))));
    scratch.packed_last = plan->add<float>(static_cast<int64_t>(
        packed_size(static_cast<size_t>(s.hidden), static_cast<size_t>(s.hidden))));
    BatchedProduct product;
    product.m = *rows;
    product.k = s.in;
    product.n = *wide;
    product.trans_b = true;
    const auto bytes = product_scratch(product, threads);
    if (!bytes || *bytes > INT64_MAX) return invalid_argument("sequences that are too long");
    scratch.product = plan->add(static_cast<int64_t>(*bytes), 1);
  }
  const auto recurrent = checked_mul(s.batch, *wide);
  scratch.recurrent = plan->add(recurrent ? *recurrent : -1, size);
  scratch.h = plan->add(*states, size);
  scratch.c = plan->add(*states, size);
  scratch.reset = plan->add(*states, size);
  return scratch;
}

}  // namespace ortc::cpu
