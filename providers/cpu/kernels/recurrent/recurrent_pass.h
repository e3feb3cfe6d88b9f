// SPDX-License-Identifier: MIT
// RNN, GRU and LSTM: one direction of a run.
//
// The product of all of x with W is made at once. R is packed into panels once in a run, or both
// came packed, of 32, 16 or 8 bits; each step is one product of the batch's states with R. Past the
// end of its own sequence a batch entry keeps its state, and Y is zero. Shapes and lengths have
// been checked by the caller.
#pragma once

#include <algorithm>
#include <cmath>

#include "providers/cpu/arith/gemm_f32/gemm_f32.h"
#include "providers/cpu/bind/rows/unary_rows.h"
#include "providers/cpu/kernels/recurrent/recurrent_cell.h"
#include "providers/cpu/products/plain_product.h"
#include "providers/cpu/products/tile_grid.h"

namespace ortc::cpu {

// One direction of a run.
template <typename T>
class RecurrentPass {
 public:
  RecurrentPass(const RunContext& ctx, const RecurrentParams& params, const RecurrentSizes& sizes,
                const RecurrentScratch& scratch, int64_t direction)
      : ctx_(ctx),
        params_(params),
        s_(sizes),
        direction_(direction),
        cell_(static_cast<Cell>(params.cell)),
        functions_(params.functions + static_cast<size_t>(direction) * cell_functions(cell_)),
        vector_(vector_kernels(ctx)),
        wide_(sizes.gates * sizes.hidden),
        inputs_(scratch_at<T>(ctx, scratch.inputs)),
        bias_(scratch_at<T>(ctx, scratch.bias)),
        recurrent_(scratch_at<T>(ctx, scratch.recurrent)),
        h_(scratch_at<T>(ctx, scratch.h)),
        c_(scratch_at<T>(ctx, scratch.c)),
        reset_(scratch_at<T>(ctx, scratch.reset)),
        packed_(scratch_at<float>(ctx, scratch.packed)),
        packed_last_(scratch_at<float>(ctx, scratch.packed_last)),
        product_(ctx.scratch() + scratch.product),
        bytes_(scratch.bytes),
        weights_(recurrent_weights(ctx.input(1))),
        panels_((weights_ == RecurrentWeights::kBytePanels
                     ? recurrent_byte_panels
                     : recurrent_panels)(sizes.gates, sizes.in, sizes.hidden)
                    .value_or(RecurrentPanels{})) {}

  void run() {
    load_states();
    if (s_.steps > 0 && s_.batch > 0 && s_.hidden > 0) {
      prepare_bias();
      if (weights_ == RecurrentWeights::kPlain) {
        multiply_inputs();
        pack();
      } else if constexpr (std::is_same_v<T, float>) {
        multiply_inputs_by_panels();
      }
      for (int64_t step = 0; step < s_.steps; ++step) run_step(step);
    }
    store_states();
  }

 private:
  const T* direction_of(size_t input, int64_t count) const {
    return ctx_.has_input(input) ? ctx_.input(input).template as<T>() + direction_ * count
                                 : nullptr;
  }
  int64_t length(int64_t b) const {
    return ctx_.has_input(4) ? ctx_.input(4).template as<int32_t>()[b] : s_.steps;
  }
  int64_t state_row(int64_t b) const {
    return (params_.batch_first != 0 ? b * s_.directions + direction_ : direction_ * s_.batch + b) *
           s_.hidden;
  }

  void load_states() {
    for (int64_t b = 0; b < s_.batch; ++b) {
      const auto load = [&](size_t input, T* to) {
        if (ctx_.has_input(input)) {
          std::copy_n(ctx_.input(input).template as<T>() + state_row(b), s_.hidden,
                      to + b * s_.hidden);
        } else {
          std::fill_n(to + b * s_.hidden, s_.hidden, T(0));
        }
      };
      load(5, h_);
      if (cell_ == Cell::kLstm) load(6, c_);
    }
  }
  void store_states() const {
    for (int64_t b = 0; b < s_.batch; ++b) {
      const auto store = [&](size_t output, const T* from) {
        if (!ctx_.has_output(output)) return;
        std::copy_n(from + b * s_.hidden, s_.hidden,
                    ctx_.output(output).template as_mutable<T>() + state_row(b));
      };
      store(1, h_);
      store(2, c_);
    }
  }

  // Wb + Rb, but for the part of GRU's last gate that is reset.
  void prepare_bias() {
    const T* bias = direction_of(3, 2 * wide_);
    const bool keeps_last = cell_ == Cell::kGru && params_.linear_before_reset != 0;
    for (int64_t j = 0; j < wide_; ++j) {
      const T recurrent =
          bias == nullptr || (keeps_last && j >= 2 * s_.hidden) ? T(0) : bias[wide_ + j];
      bias_[j] = bias == nullptr ? T(0) : bias[j] + recurrent;
    }
  }

  // Row (step, batch) or (batch, step), as x has it.
  void multiply_inputs() {
    BatchedProduct p;
    p.m = s_.steps * s_.batch;
    p.k = s_.in;
    p.n = wide_;
    p.trans_b = true;
    const T* x = ctx_.input(0).template as<T>();
    const T* w = direction_of(1, wide_ * s_.in);
    if constexpr (std::is_same_v<T, float>) {
      if (p.k > 0) {
        run_batched_product(ctx_.with({}, {}, product_), p, {x, w, inputs_, 1.0f, bias_});
        return;
      }
      std::fill_n(inputs_, p.m * p.n, 0.0f);
    } else {
      run_plain_product<T>(ctx_, p, x, w, T(1), inputs_);
    }
    for (int64_t i = 0; i < p.m; ++i) {
      for (int64_t j = 0; j < p.n; ++j) inputs_[i * p.n + j] += bias_[j];
    }
  }

  // W or R of 8 bits.
  ByteMatrix byte_matrix(size_t input, int64_t panels, int64_t depth) const {
    return {ctx_.input(input).template as<std::byte>() + direction_ * panels,
            ctx_.input(scales_input(input)).template as<float>() + direction_ * wide_, depth,
            wide_};
  }

  // Element `first` of an input's panels on.
  void set_panels(GemmF32& product, size_t input, int64_t first) const {
    const ValueRef& packed = ctx_.input(input);
    product.narrow = narrow_panels(packed, nullptr);
    if (product.narrow.data != nullptr) {
      product.narrow.data = static_cast<const uint16_t*>(packed.data) + first;
    } else {
      product.b = packed.as<float>() + first;
    }
  }

  void multiply_inputs_by_panels() {
    if (weights_ == RecurrentWeights::kBytePanels) {
      return ByteRows(ctx_, bytes_, byte_matrix(1, panels_.w, s_.in))
          .multiply(ctx_.input(0).template as<float>(), s_.steps * s_.batch, bias_, inputs_);
    }
    GemmF32 product;
    product.a = ctx_.input(0).template as<float>();
    product.lda = product.k = static_cast<size_t>(s_.in);
    product.n = product.ldc = static_cast<size_t>(wide_);
    product.c = inputs_;
    product.epilogue.bias = bias_;
    set_panels(product, 1, direction_ * panels_.w);
    const TileGrid grid =
        make_tile_grid(s_.steps * s_.batch, static_cast<int64_t>(panel_count(product.n)), s_.in,
                       items_for_threads(ctx_.thread_count()));
    const GemmF32Kernels& gemm = gemm_f32_kernels(ctx_.isa());
    parallel_items(ctx_, ctx_.thread_count(), grid.items(), [&](int64_t slot, int64_t item) {
      GemmF32 own = product;
      if (weights_ == RecurrentWeights::kHalfPanels) {
        std::byte* room = product_ + static_cast<uint64_t>(slot) * recurrent_room(s_);
        own.narrow.room = reinterpret_cast<float*>(room);
      }
      gemm.tile(
          own, static_cast<size_t>(grid.row_begin(item)), static_cast<size_t>(grid.row_end(item)),
          static_cast<size_t>(grid.panel_begin(item)), static_cast<size_t>(grid.panel_end(item)));
    });
  }

  int64_t first_width() const { return cell_ == Cell::kGru ? 2 * s_.hidden : wide_; }

  // One state multiplies the rows of R as they lie: packing them would read them once more. Panels
  // are packed already.
  bool is_single() const {
    return s_.steps == 1 && s_.batch == 1 && weights_ == RecurrentWeights::kPlain;
  }

  void pack() {
    if (is_single()) return;
    if constexpr (std::is_same_v<T, float>) {
      const float* r = direction_of(2, wide_ * s_.hidden);
      pack_part(r, first_width(), packed_);
      if (cell_ == Cell::kGru) pack_part(r + 2 * s_.hidden * s_.hidden, s_.hidden, packed_last_);
    }
  }
  void pack_part(const float* r, int64_t n, float* packed) {
    const auto depth = static_cast<size_t>(s_.hidden), width = static_cast<size_t>(n);
    const GemmF32Kernels& gemm = gemm_f32_kernels(ctx_.isa());
    ctx_.parallel_for(static_cast<int64_t>(panel_count(width)), 4, [&](int64_t begin, int64_t end) {
      gemm.pack_b(r, depth, true, depth, width, static_cast<size_t>(begin),
                  static_cast<size_t>(end), packed);
    });
  }

  // to[b, :n] = states[b, :] . R[first row of the part + n, :], `to` being `wide_` apart.
  void multiply_states(const T* states, bool last, T* to) {
    const int64_t n = last ? s_.hidden : first_width();
    if constexpr (std::is_same_v<T, float>) {
      if (is_single()) {
        const float* r = direction_of(2, wide_ * s_.hidden);
        BatchedProduct row;
        row.m = 1;
        row.k = s_.hidden;
        row.n = n;
        row.trans_b = true;
        run_batched_product(
            ctx_.with({}, {}, product_), row,
            {states, r + (last ? 2 * s_.hidden * s_.hidden : 0), to, 1.0f, nullptr});
        return;
      }
      if (weights_ == RecurrentWeights::kBytePanels) {
        return ByteRows(ctx_, bytes_, byte_matrix(2, panels_.r, s_.hidden))
            .multiply(states, s_.batch, nullptr, to);
      }
      GemmF32 product;
      product.a = states;
      product.lda = static_cast<size_t>(s_.hidden);
      if (weights_ == RecurrentWeights::kPlain) {
        product.b = last ? packed_last_ : packed_;
      } else {
        const int64_t first = direction_ * (panels_.r + panels_.r_last);
        set_panels(product, 2, first + (last ? panels_.r : 0));
      }
      product.c = to;
      product.ldc = static_cast<size_t>(wide_);
      product.n = static_cast<size_t>(n);
      product.k = static_cast<size_t>(s_.hidden);
      const GemmF32Kernels& gemm = gemm_f32_kernels(ctx_.isa());
      const int64_t work = s_.batch * s_.hidden * static_cast<int64_t>(kPanelColumns);
      const int64_t grain = std::max<int64_t>(1, (int64_t{1} << 17) / work);
      ctx_.parallel_for(static_cast<int64_t>(panel_count(product.n)), grain,
                        [&](int64_t begin, int64_t end) {
                          // So many rows at once read panels of 16 bits as they are.
                          const auto rows = static_cast<size_t>(s_.batch);
                          const size_t step = product.narrow.data != nullptr ? kNarrowRows : rows;
                          for (size_t row = 0; row < rows; row += step) {
                            gemm.tile(product, row, std::min(rows, row + step),
                                      static_cast<size_t>(begin), static_cast<size_t>(end));
                          }
                        });
    } else {
      const T* r = direction_of(2, wide_ * s_.hidden) + (last ? 2 * s_.hidden * s_.hidden : 0);
      ctx_.parallel_for(s_.batch, 1, [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b) {
          for (int64_t j = 0; j < n; ++j) {
            T sum = 0;
            for (int64_t k = 0; k < s_.hidden; ++k) {
              sum += states[b * s_.hidden + k] * r[j * s_.hidden + k];
            }
            to[b * wide_ + j] = sum;
          }
        }
      });
    }
  }

  // The time at which batch entry b is in this step; -1 when its sequence has ended.
  int64_t time_of(int64_t step, int64_t b) const {
    const int64_t n = length(b);
    if (step >= n) return -1;
    const bool reverse =
        params_.direction == static_cast<uint32_t>(RecurrentDirection::kReverse) || direction_ == 1;
    return reverse ? n - 1 - step : step;
  }

  template <typename F>
  void each_entry(int64_t step, F&& f) {
    const int64_t grain = std::max<int64_t>(1, 2048 / wide_);
    ctx_.parallel_for(s_.batch, grain, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const int64_t t = time_of(step, b);
        if (t < 0) continue;
        const int64_t row = params_.batch_first != 0 ? b * s_.steps + t : t * s_.batch + b;
        f(b, t, inputs_ + row * wide_, recurrent_ + b * wide_);
      }
    });
  }

  void run_step(int64_t step) {
    multiply_states(h_, false, recurrent_);
    if (cell_ == Cell::kGru) {
      run_gru(step);
      return;
    }
    each_entry(step, [&](int64_t b, int64_t t, const T* x, T* r) {
      T* h = h_ + b * s_.hidden;
      add_rows(r, x, wide_);
      if (cell_ == Cell::kLstm) {
        lstm(b, r, h);
      } else {
        activate(0, r, s_.hidden);
        std::copy_n(r, s_.hidden, h);
      }
      write(t, b, h);
    });
  }

  static void add_rows(T* to, const T* from, int64_t n) {
    for (int64_t j = 0; j < n; ++j) to[j] += from[j];
  }
  void activate(size_t function, T* x, int64_t n) const {
    clip(x, n);
    apply_gate(functions_[function], vector_, x, n);
  }
  void clip(T* x, int64_t n) const {
    if (params_.clip == 0) return;
    const T limit = static_cast<T>(params_.clip);
    for (int64_t j = 0; j < n; ++j) x[j] = std::clamp(x[j], -limit, limit);
  }

  // Gates lie as i, o, f, c; peepholes as i, o, f.
  void lstm(int64_t b, T* gates, T* h) {
    const int64_t n = s_.hidden;
    T *i = gates, *o = gates + n, *f = gates + 2 * n, *g = gates + 3 * n, *c = c_ + b * n;
    const T* p = direction_of(7, 3 * n);
    if (p != nullptr) {
      for (int64_t j = 0; j < n; ++j) i[j] += p[j] * c[j];
      for (int64_t j = 0; j < n; ++j) f[j] += p[2 * n + j] * c[j];
    }
    activate(0, i, n);
    if (params_.input_forget != 0) {
      for (int64_t j = 0; j < n; ++j) f[j] = 1 - i[j];
    } else {
      activate(0, f, n);
    }
    activate(1, g, n);
    for (int64_t j = 0; j < n; ++j) c[j] = f[j] * c[j] + i[j] * g[j];
    if (p != nullptr) {
      for (int64_t j = 0; j < n; ++j) o[j] += p[n + j] * c[j];
    }
    activate(0, o, n);
    std::copy_n(c, n, h);
    activate(2, h, n);
    for (int64_t j = 0; j < n; ++j) h[j] *= o[j];
  }

  // Gates lie as z, r, h.
  void run_gru(int64_t step) {
    const int64_t n = s_.hidden;
    const bool linear = params_.linear_before_reset != 0;
    const T* bias = direction_of(3, 2 * wide_);
    if (linear) multiply_states(h_, true, recurrent_ + 2 * n);
    each_entry(step, [&](int64_t b, int64_t, const T* x, T* gates) {
      add_rows(gates, x, 2 * n);
      activate(0, gates, 2 * n);
      T* reset = reset_ + b * n;
      if (linear) {
        for (int64_t j = 0; j < n; ++j) {
          const T own = bias != nullptr ? bias[wide_ + 2 * n + j] : T(0);
          reset[j] = x[2 * n + j] + gates[n + j] * (gates[2 * n + j] + own);
        }
      } else {
        for (int64_t j = 0; j < n; ++j) reset[j] = gates[n + j] * h_[b * n + j];
      }
    });
    if (!linear) multiply_states(reset_, true, recurrent_ + 2 * n);
    each_entry(step, [&](int64_t b, int64_t t, const T* x, T* gates) {
      T* last = linear ? reset_ + b * n : gates + 2 * n;
      if (!linear) add_rows(last, x + 2 * n, n);
      activate(1, last, n);
      T* h = h_ + b * n;
      for (int64_t j = 0; j < n; ++j) h[j] = (1 - gates[j]) * last[j] + gates[j] * h[j];
      write(t, b, h);
    });
  }

  void write(int64_t t, int64_t b, const T* h) const {
    if (!ctx_.has_output(0)) return;
    const int64_t row = params_.batch_first != 0 ? (b * s_.steps + t) * s_.directions + direction_
                                                 : (t * s_.directions + direction_) * s_.batch + b;
    std::copy_n(h, s_.hidden, ctx_.output(0).template as_mutable<T>() + row * s_.hidden);
  }

  const RunContext& ctx_;
  const RecurrentParams& params_;
  const RecurrentSizes s_;
  const int64_t direction_;
  const Cell cell_;
  const GateFunction* functions_;
  const VectorF32Kernels& vector_;
  const int64_t wide_;
  T *inputs_, *bias_, *recurrent_, *h_, *c_, *reset_;
  float *packed_, *packed_last_;
  std::byte* product_;
  const ByteRowsScratch bytes_;
  const RecurrentWeights weights_;
  const RecurrentPanels panels_;
};

}  // namespace ortc::cpu
