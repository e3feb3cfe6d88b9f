// SPDX-License-Identifier: MIT
// Reductions of float16 and bfloat16: numbers are widened a piece at a time and joined as floats
// are. One code for all operators, which know themselves by pointers.
#include "providers/cpu/elements/float_rows.h"
#include "providers/cpu/kernels/math/reduce_loops.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kPiece = 1024;
constexpr int64_t kRowsAtOnce = 8;  // of columns: the more, the fewer states are read

struct Halves {
  const ValueRef& x;

  // Elements at, at + stride and so on.
  void widen_to(int64_t at, int64_t stride, int64_t n, float* to) const {
    const bool is_f16 = x.dtype == DType::kFloat16;
    if (stride == 1) {
      return is_f16 ? widen(x.as<Float16>() + at, n, to) : widen(x.as<Bfloat16>() + at, n, to);
    }
    for (int64_t i = 0; i < n; ++i, at += stride) {
      to[i] = is_f16 ? static_cast<float>(x.as<Float16>()[at])
                     : static_cast<float>(x.as<Bfloat16>()[at]);
    }
  }
};

// f(offset, stride, rows) for all of what is joined.
template <typename F>
void for_each_run(const ReduceLoops& loops, F&& f) {
  const int64_t stride = loops.reduced.inner_stride(0);
  for_each_row(loops.reduced, 0, loops.reduced.count,
               [&](int64_t, const auto& offsets, int64_t rows) { f(offsets[0], stride, rows); });
}

template <typename State>
State join_row(const FloatJoin<State>& join, const Halves& x, int64_t at, int64_t stride,
               int64_t n) {
  State state = join.start;
  float wide[kPiece];
  for (int64_t i = 0; i < n; i += kPiece) {
    const int64_t part = std::min(kPiece, n - i);
    x.widen_to(at + i * stride, stride, part, wide);
    state = join.join(state, join.rows.row(wide, static_cast<size_t>(part)));
  }
  return state;
}

// n rows one behind the other.
template <typename State>
void join_rows(const FloatJoin<State>& join, const Halves& x, int64_t at, int64_t size,
               State* state, int64_t n) {
  float wide[kPiece];
  const int64_t most = kPiece / size;
  for (int64_t i = 0; i < n; i += most) {
    const int64_t part = std::min(most, n - i);
    x.widen_to(at + i * size, 1, part * size, wide);
    join.rows.rows(wide, static_cast<size_t>(size), static_cast<size_t>(size), state + i,
                   static_cast<size_t>(part));
  }
}

// n neighbouring outputs, n <= kColumns, whose states begin with what joins nothing.
template <typename State>
void join_columns(const ReduceLoops& loops, const FloatJoin<State>& join, const Halves& x,
                  int64_t offset, State* state, int64_t n) {
  float wide[kRowsAtOnce * kColumns];
  for_each_run(loops, [&](int64_t from, int64_t stride, int64_t rows) {
    // Rows one behind the other are one row.
    const int64_t most = stride == n ? kRowsAtOnce * kColumns / n : kRowsAtOnce;
    for (int64_t row = 0; row < rows; row += most) {
      const int64_t part = std::min(most, rows - row), at = offset + from + row * stride;
      if (stride == n) x.widen_to(at, 1, part * n, wide);
      for (int64_t i = 0; stride != n && i < part; ++i) {
        x.widen_to(at + i * stride, 1, n, wide + i * n);
      }
      join.rows.columns(wide, static_cast<size_t>(n), static_cast<size_t>(part), state,
                        static_cast<size_t>(n));
    }
  });
}

// Narrow blocks one behind the other, n outputs altogether: several are widened at once.
template <typename State>
void join_blocks(const ReduceLoops& loops, const FloatJoin<State>& join, const Halves& x,
                 int64_t at, State* state, int64_t n) {
  const int64_t inner = loops.kept.inner_size(), rows = loops.reduced.count, size = rows * inner;
  float wide[kPiece];
  const int64_t most = kPiece / size * inner;
  for (int64_t i = 0; i < n; i += most) {
    const int64_t part = std::min(most, n - i);
    x.widen_to(at + i * rows, 1, part * rows, wide);
    const BlocksF32 blocks{static_cast<size_t>(part / inner), static_cast<size_t>(size)};
    join.rows.blocks(wide, blocks, static_cast<size_t>(inner), static_cast<size_t>(rows), state + i,
                     static_cast<size_t>(inner));
  }
}

template <typename State>
void join_stretch_of(const ReduceLoops& loops, const FloatJoin<State>& join, const Halves& x,
                     int64_t offset, State* state, int64_t n) {
  const int64_t size = loops.reduced.count, step = loops.kept.inner_stride(0);
  if (loops.keeps_innermost()) std::fill_n(state, n, join.start);
  if (loops.is_narrow()) {
    const int64_t inner = loops.kept.inner_size(), next = loops.kept.strides[0][0];
    const bool is_dense = loops.reduced.rank == 1 && loops.reduced.inner_stride(0) == inner &&
                          next == size * inner && size > 0 && next <= kPiece;
    if (is_dense) return join_blocks(loops, join, x, offset, state, n);
    return for_each_narrow(loops, n, [&](int64_t block) {
      join_columns(loops, join, x, offset + block * next, state + block * inner, inner);
    });
  }
  if (loops.keeps_innermost()) return join_columns(loops, join, x, offset, state, n);
  const bool is_dense = step == size || loops.kept.count == 1;
  if (loops.joins_short_rows() && size > 0 && is_dense) {
    return join_rows(join, x, offset, size, state, n);
  }
  std::fill_n(state, n, join.start);
  for_each_run(loops, [&](int64_t from, int64_t stride, int64_t rows) {
    if (n > 1 && stride == 1 && step == rows && rows <= kPiece) {  // side by side too
      State more[kColumns];
      join_rows(join, x, offset + from, rows, more, n);
      for (int64_t i = 0; i < n; ++i) state[i] = join.join(state[i], more[i]);
      return;
    }
    for (int64_t i = 0; i < n; ++i) {
      state[i] = join.join(state[i], join_row(join, x, offset + i * step + from, stride, rows));
    }
  });
}

}  // namespace

void join_halves(const ReduceLoops& loops, const FloatJoin<float>& join, const ValueRef& x,
                 int64_t offset, float* state, int64_t n) {
  join_stretch_of(loops, join, Halves{x}, offset, state, n);
}
void join_halves(const ReduceLoops& loops, const FloatJoin<double>& join, const ValueRef& x,
                 int64_t offset, double* state, int64_t n) {
  join_stretch_of(loops, join, Halves{x}, offset, state, n);
}

}  // namespace ortc::cpu
