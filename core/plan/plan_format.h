// SPDX-License-Identifier: MIT
// The Plan image: what lowering makes, what a context binary stores, what the executor runs; the
// same bytes everywhere.
//
//   PlanHeader | BodyRecord[] | SlotRecord[] | StepRecord[] | TensorRecord[] | int64 dims[] |
//   uint32 indices[] | text | params
//
// Little-endian, position-independent: every reference is an index into a table of the same image,
// or an offset into its text or params. Function pointers and the bytes of constants live outside
// (core/plan/plan.h). Records of a later minor version may be longer: `*_size` in the header gives
// the stride.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace ortc {

static_assert(std::endian::native == std::endian::little, "images are mapped as they are");

inline constexpr uint32_t kPlanMagic = 0x4e4c504f;  // "OPLN"
inline constexpr uint16_t kPlanMajor = 1;
inline constexpr uint16_t kPlanMinor = 0;
inline constexpr uint32_t kNoIndex = UINT32_MAX;

// A run of entries in a table, or of bytes in text or params.
struct PlanRange {
  uint32_t begin;
  uint32_t count;
};

struct PlanTable {
  uint64_t offset;  // from the start of the image, 8 B-aligned
  uint32_t count;
  uint32_t stride;  // bytes an entry
};

struct PlanHeader {
  uint32_t magic;
  uint16_t major;
  uint16_t minor;
  uint64_t image_size;
  PlanTable bodies;   // BodyRecord; 0 is the main body
  PlanTable slots;    // SlotRecord, of all bodies
  PlanTable steps;    // StepRecord, of all bodies, in order of execution
  PlanTable tensors;  // TensorRecord
  PlanTable dims;     // int64
  PlanTable indices;  // uint32
  PlanTable text;     // bytes
  PlanTable params;   // bytes; records start on multiples of 8
};

// The main graph, a branch or a loop body. Slot numbers inside a body count from its first slot.
struct BodyRecord {
  PlanRange slots;
  PlanRange steps;
  PlanRange inputs;    // indices: slots
  PlanRange captures;  // indices: slots that the enclosing body fills, after the inputs
  PlanRange outputs;   // indices: slots
};

enum class SlotKind : uint8_t { kIntermediate = 0, kInput = 1, kCapture = 2, kConstant = 3 };
inline constexpr uint8_t kUnknownRank = 255;

struct SlotRecord {
  PlanRange name;
  uint8_t kind;       // SlotKind
  uint8_t dtype;      // DType
  uint8_t rank;       // kUnknownRank when it is not known
  uint8_t memory;     // number of one of the session's memories; 0, the host's, in every file
  uint32_t dims;      // first of `rank` entries; -1: unknown, <= -2: symbol number -(d + 2)
  uint32_t tensor;    // kConstant: index of its TensorRecord
  uint32_t last_use;  // last step of the body that reads it, counted from the body's first;
                      // kNoIndex: an output or none
};

enum class StepKind : uint16_t {
  kKernel = 0,
  kCall = 1,
  kIf = 2,
  kLoop = 3,
  kScan = 4,
  kSequenceMap = 5,
  kTransfer = 6  // one input, one output: the same tensor in another memory; in no file
};

struct StepRecord {
  uint16_t kind;      // StepKind
  uint16_t contract;  // of the kernel
  // kCall: number of the compiled object. kIf, kLoop, kScan: one more than that of the object that
  // helps to run the step, 0 for none.
  uint32_t callee;
  PlanRange kernel;   // text: id
  PlanRange name;     // text: node name, for messages and profiles
  PlanRange op;       // text: operator
  PlanRange inputs;   // indices: slots; kNoIndex for an omitted input. Control flow: inputs, then
                      // captures of each body
  PlanRange outputs;  // indices: slots; kNoIndex for an omitted output
  PlanRange params;   // bytes
  PlanRange bodies;   // numbers of bodies: If: then, else; others: body
};

struct TensorRecord {
  uint64_t size;    // bytes
  uint32_t layout;  // Layout
  uint8_t dtype;
  uint8_t rank;
  uint16_t reserved;
  uint32_t dims;  // first of `rank` entries, all >= 0
  uint32_t reserved2;
  PlanRange name;
};

static_assert(sizeof(PlanTable) == 16 && sizeof(PlanHeader) == 16 + 8 * 16);
static_assert(sizeof(BodyRecord) == 40 && sizeof(SlotRecord) == 24 && sizeof(StepRecord) == 64 &&
              sizeof(TensorRecord) == 32);
static_assert(std::is_standard_layout_v<StepRecord> && std::is_trivially_copyable_v<StepRecord>);

}  // namespace ortc
