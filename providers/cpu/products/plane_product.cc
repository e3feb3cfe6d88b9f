// SPDX-License-Identifier: MIT
// Convolutions over planes: see the header.
//
// A block is some rows of one slice of the output. Its planes are, per channel: kernel slices, row
// phases, column phases, each some lines of `pitch` floats. Phase p of an axis has the positions
// stride * i + p of the padded image.
#include "providers/cpu/products/plane_product.h"

#include <algorithm>
#include <cmath>

#include "providers/cpu/arith/gemm_f32/gemm_f32.h"
#include "providers/cpu/arith/planes_f32/planes_f32.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/thread_slots.h"
#include "providers/cpu/products/tile_grid.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kFewChannels = 4;              // below: rows share what is loaded
constexpr int64_t kBlockFloats = 16 * 1024;      // aim for the planes of one block
constexpr int64_t kDeepBlockFloats = 32 * 1024;  // where each float is used often
constexpr int64_t kMostPhases = 32;              // of an axis
constexpr int64_t kLeastPositions = 96;          // of a block, so that vectors are full
constexpr int64_t kLeastRows = 16;      // channels that are worth spreading lines again for
constexpr int64_t kItemWork = 1 << 17;  // multiplications that are worth a work item
constexpr int64_t kLanes = 16;

constexpr int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

int64_t reach(const WindowAxis& axis) { return (axis.kernel - 1) * axis.dilation; }
int64_t phases(const WindowAxis& axis) { return std::min(axis.stride, reach(axis) + 1); }
// Positions of a phase that so many outputs look at.
int64_t plane_extent(const WindowAxis& axis, int64_t out) {
  return out + reach(axis) / axis.stride;
}

int64_t column_begin(const WindowAxis& axis, int64_t phase) {
  return static_cast<int64_t>(phase_begin(static_cast<size_t>(axis.pad_begin),
                                          static_cast<size_t>(axis.stride),
                                          static_cast<size_t>(phase)));
}
int64_t column_count(const WindowAxis& axis, int64_t phase) {
  return static_cast<int64_t>(
      phase_count(static_cast<size_t>(axis.in), static_cast<size_t>(axis.pad_begin),
                  static_cast<size_t>(axis.stride), static_cast<size_t>(phase)));
}

// A line is long enough when its zeros serve the right end of it and the left end of the next.
int64_t least_pitch(const WindowAxis& axis) {
  int64_t pitch = axis.out;
  for (int64_t phase = 0; phase < phases(axis); ++phase) {
    const int64_t begin = column_begin(axis, phase);
    pitch =
        std::max({pitch, plane_extent(axis, axis.out) - begin, column_count(axis, phase) + begin});
  }
  return pitch;
}

bool is_plain(const WindowAxis& axis) {
  return axis.kernel == 1 && axis.stride == 1 && axis.pad_begin == 0 && axis.in == axis.out;
}

// Pixels that look at nothing but themselves are one column.
GatherProduct as_column(GatherProduct p) {
  auto& axis = p.windows.axis;
  if (!is_pointwise(p)) return p;
  const int64_t size = p.windows.in_size();
  axis = {};
  axis[1].in = axis[1].out = size;
  return p;
}

struct PlanePlan {
  int64_t row_phases, column_phases;
  int64_t front, pitch;             // floats in front of the first line, and of a line
  int64_t rows, blocks;             // of the output per block, blocks per slice
  int64_t plane, slice, channel;    // floats
  int64_t channels_per_item, runs;  // channels of the output, items per block
  int64_t units, units_per_item;    // blocks of all slices
  bool few;
  bool in_place;  // pixels are read where they are, but the last of all
};

// Vectors that blocks of so many rows take in all, unused lanes included.
int64_t vectors_for(const WindowAxis& axis, int64_t pitch, int64_t columns, int64_t rows) {
  return divide_up(axis.out, rows) * divide_up((rows - 1) * pitch + columns, kLanes);
}

int64_t rows_per_block(const GatherProduct& p, const PlanePlan& plan, int64_t wanted) {
  const WindowAxis &down = p.windows.axis[1], &across = p.windows.axis[2];
  const int64_t lines =
      p.channels * p.windows.axis[0].kernel * plan.row_phases * plan.column_phases * plan.pitch;
  const int64_t aim = p.depth() > kPlaneDepth ? kDeepBlockFloats : kBlockFloats;
  const int64_t fitting = aim / lines - reach(down) / down.stride;
  const int64_t least = divide_up(kLeastPositions, plan.pitch);
  const int64_t most = std::min(down.out, std::max(fitting, least));
  const int64_t rows = std::clamp(divide_up(down.out, wanted), std::min(least, most), most);
  if (plan.few) return divide_up(down.out, divide_up(down.out, rows));
  int64_t best = rows;
  for (int64_t r = rows; r > rows / 2 && r > rows - 48; --r) {
    const auto cost = [&](int64_t n) { return vectors_for(down, plan.pitch, across.out, n); };
    if (cost(r) < cost(best)) best = r;
  }
  return best;
}

PlanePlan make_plan(const GatherProduct& p, int thread_count) {
  const auto& axis = p.windows.axis;
  PlanePlan plan{};
  plan.few = p.channels == 1 && p.rows < kFewChannels;
  plan.in_place =
      !plan.few && is_pointwise(p) && reads_in_place(p.rows, p.depth(), p.windows.in_size());
  plan.row_phases = phases(axis[1]);
  plan.column_phases = phases(axis[2]);
  plan.front = divide_up(column_begin(axis[2], 0), kLanes) * kLanes;
  plan.pitch = least_pitch(axis[2]);
  // Lines that begin where vectors do, unless they are shorter than one.
  if (plan.few && axis[2].out > kLanes / 2) plan.pitch = divide_up(plan.pitch, kLanes) * kLanes;
  const double work = static_cast<double>(p.rows) * static_cast<double>(p.depth()) *
                      static_cast<double>(p.windows.out_size()) *
                      static_cast<double>(p.batch * p.groups);
  const auto items = static_cast<int64_t>(
      std::clamp(work / kItemWork, 1.0, static_cast<double>(items_for_threads(thread_count))));
  const int64_t slices = p.batch * p.groups * axis[0].out;
  plan.rows = rows_per_block(p, plan, divide_up(items, slices));
  plan.blocks = divide_up(axis[1].out, plan.rows);
  plan.plane = plan.front + plane_extent(axis[1], plan.rows) * plan.pitch + int64_t{kPlaneSlack};
  plan.slice = plan.row_phases * plan.column_phases * plan.plane;
  plan.channel = axis[0].kernel * plan.slice;
  plan.units = slices * plan.blocks;
  plan.units_per_item = std::max<int64_t>(1, plan.units / items);
  const int64_t runs = divide_up(items, plan.units);
  plan.channels_per_item = divide_up(p.rows, std::clamp<int64_t>(p.rows / kLeastRows, 1, runs));
  plan.runs = divide_up(p.rows, plan.channels_per_item);
  return plan;
}

// Where each tap of the first pixel lies.
void find_places(const GatherProduct& p, const PlanePlan& plan, uint32_t* places) {
  const auto& axis = p.windows.axis;
  const auto phase_and_step = [](const WindowAxis& a, int64_t tap) {
    return std::pair{tap * a.dilation % a.stride, tap * a.dilation / a.stride};
  };
  for (int64_t channel = 0; channel < p.channels; ++channel) {
    for (int64_t slice = 0; slice < axis[0].kernel; ++slice) {
      const int64_t base = channel * plan.channel + slice * plan.slice;
      for (int64_t i = 0; i < axis[1].kernel; ++i) {
        const auto [row_phase, down] = phase_and_step(axis[1], i);
        for (int64_t j = 0; j < axis[2].kernel; ++j) {
          const auto [column_phase, across] = phase_and_step(axis[2], j);
          const int64_t plane = row_phase * plan.column_phases + column_phase;
          const int64_t column = plan.front + across - column_begin(axis[2], column_phase);
          *places++ = static_cast<uint32_t>(base + plane * plan.plane + down * plan.pitch + column);
        }
      }
    }
  }
}

struct Operands {
  const float *x, *w;
  const float* bias;  // or null
  float* y;
};

class PlaneRun {
 public:
  PlaneRun(Isa isa, const GatherProduct& product, const PlanePlan& plan, const uint32_t* places)
      : kernels_(planes_f32_kernels(isa)),
        p_(product),
        plan_(plan),
        places_(places),
        in_place_(places + (plan.in_place ? product.depth() : 0)) {}

  // Channels [first, end) of the output of one unit.
  void run_unit(const Operands& o, int64_t unit, int64_t first, int64_t end, float* planes) const {
    const Unit at = unit_at(unit);
    const float* x = o.x + at.part * p_.channels * p_.windows.in_size();
    if (!plan_.in_place || (!may_read_behind(at) && at.end - at.row < kLanes)) {
      spread(x, at, planes);
      return multiply(o, at, planes, places_, first, end);
    }
    if (may_read_behind(at)) return multiply(o, at, x + at.row, in_place_, first, end);
    // The last pixels are computed twice, to the same bits.
    Unit whole = at, rest = at;
    whole.end = at.row + (at.end - at.row) / kLanes * kLanes;
    rest.row = at.end - kLanes;
    multiply(o, whole, x + whole.row, in_place_, first, end);
    if (whole.end < at.end) multiply(o, rest, x + rest.row, in_place_, first, end);
  }

 private:
  // Rows [row, end) of a slice of the output of one batch and group.
  struct Unit {
    int64_t part, slice, row, end;
  };

  // The last vector of a unit may end behind it, in pixels of channels that follow.
  bool may_read_behind(const Unit& unit) const {
    const int64_t parts = p_.batch * p_.groups - 1 - unit.part;
    const int64_t left = p_.windows.in_size() - unit.end;  // of the last channel
    return left >= kLanes || parts * p_.channels * p_.windows.in_size() + left >= kLanes;
  }

  void multiply(const Operands& o, const Unit& at, const float* x, const uint32_t* places,
                int64_t first, int64_t end) const {
    const auto& axis = p_.windows.axis;
    const int64_t channel = at.part % p_.groups * p_.rows + first;
    PlanesF32 run;
    run.x = x;
    run.places = places;
    run.depth = run.w_ld = static_cast<size_t>(p_.depth());
    run.pitch = static_cast<size_t>(plan_.pitch);
    run.rows = static_cast<size_t>(at.end - at.row);
    run.columns = static_cast<size_t>(axis[2].out);
    run.channels = static_cast<size_t>(end - first);
    run.w = o.w + channel * p_.depth();
    run.bias = o.bias != nullptr ? o.bias + channel : nullptr;
    run.y_ld = static_cast<size_t>(p_.windows.out_size());
    run.y = o.y + (at.part * p_.rows + first) * p_.windows.out_size() +
            (at.slice * axis[1].out + at.row) * axis[2].out;
    const bool is_tall = axis[0].kernel == 1 && axis[1].stride == 1 && axis[1].dilation == 1;
    const bool are_neighbours = axis[2].stride == 1 && axis[2].dilation == 1;
    run.row_taps = is_tall && are_neighbours ? static_cast<size_t>(axis[2].kernel) : 0;
    plan_.few ? kernels_.window(run) : kernels_.product(run);
  }

  Unit unit_at(int64_t unit) const {
    const auto& axis = p_.windows.axis;
    const int64_t row = unit % plan_.blocks * plan_.rows, slice = unit / plan_.blocks;
    return {slice / axis[0].out, slice % axis[0].out, row, std::min(axis[1].out, row + plan_.rows)};
  }

  // What a unit looks at in x, which is of one group.
  void spread(const float* x, const Unit& unit, float* to) const {
    const WindowAxis &depth = p_.windows.axis[0], &down = p_.windows.axis[1];
    const int64_t image = down.in * p_.windows.axis[2].in;
    for (int64_t channel = 0; channel < p_.channels; ++channel, x += p_.windows.in_size()) {
      for (int64_t k = 0; k < depth.kernel; ++k) {
        const int64_t place = unit.slice * depth.stride - depth.pad_begin + k * depth.dilation;
        const bool is_inside = place >= 0 && place < depth.in;
        for (int64_t phase = 0; phase < plan_.row_phases; ++phase) {
          spread_rows(is_inside ? x + place * image : nullptr,
                      unit.row * down.stride - down.pad_begin + phase,
                      plane_extent(down, unit.end - unit.row),
                      to + channel * plan_.channel + k * plan_.slice +
                          phase * plan_.column_phases * plan_.plane);
        }
      }
    }
  }

  // Rows first, first + stride, ... of an image, or of none.
  void spread_rows(const float* image, int64_t first, int64_t rows, float* to) const {
    const WindowAxis &down = p_.windows.axis[1], &across = p_.windows.axis[2];
    const int64_t above = image != nullptr
                              ? std::min(rows, divide_up(std::max<int64_t>(0, -first), down.stride))
                              : rows;
    const int64_t start = first + above * down.stride;
    const int64_t inside =
        std::min(rows - above, divide_up(std::max<int64_t>(0, down.in - start), down.stride));
    SpreadF32 spread;
    spread.x = inside > 0 ? image + start * across.in : nullptr;
    spread.x_ld = static_cast<size_t>(down.stride * across.in);
    spread.in = static_cast<size_t>(across.in);
    spread.above = static_cast<size_t>(above);
    spread.lines = static_cast<size_t>(inside);
    spread.below = static_cast<size_t>(rows - above - inside);
    spread.pad = static_cast<size_t>(across.pad_begin);
    spread.stride = static_cast<size_t>(across.stride);
    spread.phases = static_cast<size_t>(plan_.column_phases);
    spread.to = to;
    spread.plane = static_cast<size_t>(plan_.plane);
    spread.front = static_cast<size_t>(plan_.front);
    spread.pitch = static_cast<size_t>(plan_.pitch);
    kernels_.spread(spread);
  }

  const PlanesF32Kernels& kernels_;
  const GatherProduct& p_;
  const PlanePlan& plan_;
  const uint32_t *places_, *in_place_;
};

// Channels of the output that are lines of x, scaled and shifted.
bool is_scaling(const GatherProduct& p) { return p.depth() == 1 && is_pointwise(p); }

void scale_lines(const RunContext& ctx, const GatherProduct& p, const Operands& o) {
  const auto scale_and_add = vector_f32_kernels(ctx.isa()).scale_and_add;
  const int64_t size = p.windows.in_size(), filters = p.groups * p.rows;
  ctx.parallel_for(p.batch * filters * size, kItemWork, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t line = begin / size, filter = line % filters, at = begin % size;
      const int64_t n = std::min(end - begin, size - at);
      scale_and_add(o.x + line / p.rows * size + at, o.w[filter],
                    o.bias != nullptr ? o.bias[filter] : 0.0f, o.y + begin, static_cast<size_t>(n));
      begin += n;
    }
  });
}

// Whether pixels that are gathered one by one cost less, in cycles about: what planes have between
// rows is computed for nothing, and each slice of the output spreads the lines that it looks at.
bool is_better_gathered(const GatherProduct& p) {
  if (is_pointwise(p)) return false;
  constexpr double kVectorTerm = 0.5, kGathered = 2.5, kPanel = 2500, kLine = 15, kCall = 60;
  const WindowAxis &down = p.windows.axis[1], &across = p.windows.axis[2];
  const auto depth = static_cast<double>(p.depth());
  const auto products = [&](double pixels) {
    return kVectorTerm * static_cast<double>(p.rows) * depth * std::ceil(pixels / kLanes);
  };
  const auto slices = static_cast<double>(p.windows.axis[0].out);
  const auto calls = static_cast<double>(p.channels * p.windows.axis[0].kernel * phases(down));
  const auto lines = static_cast<double>(phases(across) * plane_extent(down, down.out));
  const auto positions = static_cast<double>((down.out - 1) * least_pitch(across) + across.out);
  const double spread = products(positions) + calls * (kCall + kLine * lines);
  const auto pixels = static_cast<double>(p.windows.out_size());
  const double gathered =
      products(pixels) + kGathered * depth * pixels + kPanel * std::ceil(pixels / kPanelColumns);
  return gathered < slices * spread;
}

uint64_t places_bytes(const GatherProduct& p) {
  return align_up(static_cast<uint64_t>(2 * p.depth()) * sizeof(uint32_t), 64);
}

uint64_t slot_bytes(const GatherProduct& p, const PlanePlan& plan) {
  return align_up(static_cast<uint64_t>(p.channels * plan.channel) * sizeof(float), 64);
}

}  // namespace

bool is_pointwise(const GatherProduct& product) {
  return std::ranges::all_of(product.windows.axis, is_plain);
}

bool reads_in_place(int64_t rows, int64_t depth, int64_t pixels) {
  constexpr int64_t kFewRows = 32, kSomeRows = 128, kSomeDepth = 256;
  // Pixels of channels so far apart share a set of each cache, and push each other out before many
  // rows have read them.
  constexpr int64_t kSetFloats = 4096 / sizeof(float);
  const bool share_a_set = pixels % kSetFloats == 0 && depth > kSomeDepth;
  return rows <= kFewRows || (rows <= kSomeRows && !share_a_set);
}

bool suits_planes(const GatherProduct& product) {
  if (product.transposed || product.windows.out_size() == 0 || product.batch == 0) return false;
  const auto& axis = product.windows.axis;
  const bool is_depthwise = product.channels == 1 && product.rows < kFewChannels;
  const bool is_volume = axis[0].kernel > 1;
  const bool is_pixel = product.windows.taps() == 1;
  const bool is_deep = product.depth() > kPlaneDepth && product.rows > kPlaneRows;
  if (is_deep && !is_depthwise && !is_volume && !is_pixel) return false;
  if (phases(axis[1]) > kMostPhases || phases(axis[2]) > kMostPhases) return false;
  if (is_better_gathered(product)) return false;
  const int64_t pitch = least_pitch(axis[2]);
  // The planes of a whole slice are addressed in 32 bits, slack and unused lanes included.
  const double lines = static_cast<double>(phases(axis[1]) + 1) *
                       static_cast<double>(plane_extent(axis[1], axis[1].out) + 2);
  const double floats = static_cast<double>(product.channels) *
                        static_cast<double>(axis[0].kernel) * lines *
                        static_cast<double>(phases(axis[2])) * static_cast<double>(pitch + 64);
  return floats < 0x1p30;
}

std::optional<uint64_t> plane_scratch(const GatherProduct& product, int thread_count) {
  const GatherProduct p = as_column(product);
  const auto slots = slot_scratch(slot_bytes(p, make_plan(p, thread_count)), thread_count);
  return slots ? checked_add(*slots, places_bytes(p)) : std::nullopt;
}

void run_plane_product(const RunContext& ctx, const GatherProduct& product, const float* x,
                       const float* w, const float* bias, float* y, std::byte* scratch) {
  if (is_scaling(product)) return scale_lines(ctx, product, {x, w, bias, y});
  const GatherProduct p = as_column(product);
  const PlanePlan plan = make_plan(p, ctx.thread_count());
  auto* places = reinterpret_cast<uint32_t*>(scratch);
  find_places(p, plan, places);
  // Behind them, where pixels are that are read in place.
  for (int64_t k = 0; plan.in_place && k < p.depth(); ++k) {
    places[p.depth() + k] = static_cast<uint32_t>(k * p.windows.in_size());
  }
  const PlaneRun run(ctx.isa(), p, plan, places);
  const Operands operands{x, w, bias, y};
  const int64_t items = divide_up(plan.units, plan.units_per_item) * plan.runs;
  parallel_items(ctx, ctx.thread_count(), items, [&](int64_t slot, int64_t item) {
    auto* planes = reinterpret_cast<float*>(scratch + places_bytes(p) +
                                            static_cast<uint64_t>(slot) * slot_bytes(p, plan));
    const int64_t first = item % plan.runs * plan.channels_per_item;
    const int64_t unit = item / plan.runs * plan.units_per_item;
    const int64_t end = std::min(plan.units, unit + plan.units_per_item);
    for (int64_t u = unit; u < end; ++u) {
      run.run_unit(operands, u, first, std::min(p.rows, first + plan.channels_per_item), planes);
    }
  });
}

}  // namespace ortc::cpu
