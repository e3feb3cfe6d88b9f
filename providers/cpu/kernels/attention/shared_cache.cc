// SPDX-License-Identifier: MIT
// A cache in a buffer with room: see the header.
#include "providers/cpu/kernels/attention/shared_cache.h"

#include "providers/cpu/bind/bind_checks.h"

namespace ortc::cpu {
namespace {

// The beam whose rows are read by sequence b, for each place.
class Beams {
 public:
  Beams(const ValueRef& beams)
      : from_(beams.is_present() ? beams.as<int32_t>() : nullptr),
        width_(from_ != nullptr ? beams.dim(1) : 1),
        length_(from_ != nullptr ? beams.dim(2) : 0) {}

  int64_t width() const { return width_; }
  bool redirects() const { return from_ != nullptr; }
  int64_t beam(int64_t b, int64_t k) const { return from_[b * length_ + k]; }
  int64_t sequence(int64_t b, int64_t k) const { return b / width_ * width_ + beam(b, k); }

 private:
  const int32_t* from_;
  int64_t width_, length_;
};

void gather_past(const SharedCache& c, const SharedRows& rows, const Beams& beams, int64_t b,
                 int64_t h, float* to) {
  const int64_t head = c.room * c.size;
  if (!beams.redirects()) {
    std::copy_n(rows.past + (b * c.heads + h) * head, c.used * c.size, to);
    return;
  }
  for (int64_t k = 0; k < c.used; ++k) {
    const float* from = rows.past + (beams.sequence(b, k) * c.heads + h) * head;
    std::copy_n(from + k * c.size, c.size, to + k * c.size);
  }
}

}  // namespace

Status check_shared_cache(const SharedCache& c, const ValueRef& beams) {
  if (c.used < 0 || c.added > c.room || c.used > c.room - c.added) {
    return invalid_argument("past_sequence_length is ", c.used, " with ", c.added,
                            " new keys in a buffer of ", c.room);
  }
  if (!beams.is_present()) return Status::ok();
  const bool fits = beams.rank == 3 && beams.dim(1) > 0 && c.batch % beams.dim(1) == 0 &&
                    c.batch / beams.dim(1) == beams.dim(0) && beams.dim(2) >= c.used;
  if (fits) return Status::ok();
  return invalid_argument("cache_indirection has shape ", dims_to_string(beams.dims()),
                          ", expected [batch,beams,", c.used, " or more] of ", c.batch,
                          " sequences");
}

Status check_beams(const SharedCache& c, const ValueRef& indirection) {
  const Beams beams(indirection);
  for (int64_t b = 0; beams.redirects() && b < c.batch; ++b) {
    for (int64_t k = 0; k < c.used; ++k) {
      const int64_t beam = beams.beam(b, k);
      if (beam >= 0 && beam < beams.width()) continue;
      return invalid_argument("cache_indirection has beam ", beam, " of ", beams.width());
    }
  }
  return Status::ok();
}

void extend_shared_cache(const RunContext& ctx, const SharedCache& c, const SharedRows& rows,
                         float* to) {
  if (c.size == 0) return;
  const Beams beams(rows.beams);
  const int64_t head = c.room * c.size;
  // All that is read of the past is read before any of it is written.
  ctx.parallel_for(c.batch * c.heads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      gather_past(c, rows, beams, i / c.heads, i % c.heads, to + i * c.rows() * c.size);
    }
  });
  if (c.added > 0) {
    split_heads(ctx, rows.added, {c.batch, c.heads, c.added, c.size}, to, c.used, c.rows());
  }
  if (rows.present == nullptr) return;
  ctx.parallel_for(c.batch * c.heads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float* present = rows.present + i * head;
      if (rows.past != rows.present) std::copy_n(rows.past + i * head, head, present);
      std::copy_n(to + (i * c.rows() + c.used) * c.size, c.added * c.size,
                  present + c.used * c.size);
    }
  });
}

}  // namespace ortc::cpu
