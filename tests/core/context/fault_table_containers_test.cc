// SPDX-License-Identifier: MIT
// Faults of what a compile writes: containers, plans, frames, journals; and of LoRA adapters. The
// checksums of all of them are right.
#include "core/context/binary_reader.h"
#include "core/context/binary_writer.h"
#include "core/context/output/journal.h"
#include "core/platform/zstd.h"
#include "core/session/lora_adapter.h"
#include "tests/core/plan/hostile_plans.h"
#include "tests/core/plan/plan_samples.h"
#include "tests/fuzz/seal_context.h"
#include "tests/support/failing_allocations.h"
#include "tests/support/fault_table.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// Opens it and takes everything in it.
Status read_container(const Blob& bytes) {
  ASSIGN_OR_RETURN(const auto binary, ContextBinary::open(bytes, "'test'"));
  for (const std::string& name : binary->graph_names()) {
    RETURN_IF_ERROR(binary->graph(name).status());
  }
  return binary->verify_data();
}

std::string container(int zstd_level, const std::string& target = "") {
  ContextBinaryWriter::Options options;
  options.embed = true;
  options.provider = "TestProvider";
  options.target = target;
  options.zstd_level = zstd_level;
  ContextBinaryWriter writer(options);
  CHECK_OK(writer.add_blob("one", Blob::from_string(std::string(5000, 'a'))));
  CHECK_OK(writer.add_blob("two", Blob::from_string(std::string(5001, 'b'))));
  const auto bytes = writer.cache_context();
  CHECK_OK(bytes);
  writer.set_generation({7, 8});
  return std::string(bytes->text());
}

struct Parts {
  ContextHeader& header;
  MetadataHeader& metadata;
  GraphRecord* graphs;
  ContextTensorRecord* tensors;
};

std::string wounded(int zstd_level, const std::function<void(Parts, std::string&)>& wound) {
  std::string bytes = container(zstd_level);
  auto& header = *reinterpret_cast<ContextHeader*>(bytes.data());
  char* base = bytes.data() + header.metadata_offset;
  auto& metadata = *reinterpret_cast<MetadataHeader*>(base);
  wound({header, metadata, reinterpret_cast<GraphRecord*>(base + metadata.graphs.offset),
         reinterpret_cast<ContextTensorRecord*>(base + metadata.tensors.offset)},
        bytes);
  fuzz::seal_context(bytes);
  return bytes;
}

// Of plain tensors, and of frames.
std::string plain(const std::function<void(Parts)>& wound) {
  return wounded(0, [&](Parts parts, std::string&) { wound(parts); });
}
std::string packed(const std::function<void(Parts)>& wound) {
  return wounded(3, [&](Parts parts, std::string&) { wound(parts); });
}

// For two targets, whose list says `names`.
std::string listed(std::string names, const std::function<void(ContextHeader&)>& wound = {}) {
  std::string bytes = container(0, "x86-64-v3;aarch64");
  names.resize(sizeof(ContextTargets));
  std::memcpy(bytes.data() + sizeof(ContextHeader), names.data(), names.size());
  if (wound) wound(*reinterpret_cast<ContextHeader*>(bytes.data()));
  fuzz::seal_context(bytes);
  return bytes;
}

Status read_plan(const Blob& bytes) {
  return Plan::open(bytes, {}, cpu::lowering_rules().kernels).status();
}

std::string plan(const std::function<void(ImageEditor&)>& wound) {
  ImageEditor editor(nested_ifs(3, /*shared=*/false));
  wound(editor);
  return editor.bytes();
}

Status read_frame(const Blob& bytes) {
  std::string out(5000, '\0');
  return zstd_decompress(bytes.bytes(), std::as_writable_bytes(std::span(out)));
}

std::string little(uint64_t number, int size) {
  return {reinterpret_cast<const char*>(&number), static_cast<size_t>(size)};
}
std::string text(const std::string& content) { return little(content.size(), 4) + content; }

std::string journal(const std::string& body) {
  const std::string all = "ORTCJRNL" + body;
  const Hash128 hash = hash128(as_bytes(all));
  return all + little(hash.low, 8) + little(hash.high, 8);
}
std::string journal_of(const std::vector<std::string>& names) {
  std::string body = little(1, 4) + little(names.size(), 4) + little(1, 4) + text("g");
  for (const std::string& name : names) {
    body += text("." + name.substr(name.rfind('/') + 1) + ".0123456789abcdef.tmp") + text(name);
  }
  return journal(body);
}

// One of those that fuzzing begins with.
std::string adapter(const std::string& name) {
  return read_whole_file(source_dir() + "/tests/fuzz/corpus/lora_adapter/" + name);
}

// What the offset at `place` leads to.
size_t target_of(const std::string& bytes, size_t place) {
  return place + load_unaligned<uint32_t>(as_bytes(bytes).data() + place);
}

}  // namespace

TEST(fault_table, damaged_containers_are_refused) {
  const Code code = Code::kInvalidGraph;
  CHECK_OK(read_container(exact_copy(container(0))));
  CHECK_OK(read_container(exact_copy(container(3))));
  constexpr uint64_t kWraps = ~uint64_t{63};
  check_faults(
      "container", read_container,
      {{"no bytes", "", code, "does not begin with the mark"},
       {"a file that is cut", container(0).substr(0, 8192), code, "expected"},
       {"metadata that wrap", plain([](Parts p) { p.header.metadata_offset = kWraps; }), code,
        "metadata lie outside"},
       {"metadata beyond the end", plain([](Parts p) { p.header.metadata_size = UINT64_MAX; }),
        code, "metadata lie outside"},
       {"kernels beyond the page", plain([](Parts p) { p.header.kernels_size = UINT32_MAX; }), code,
        "contradicts itself"},
       {"kernels within the header", plain([](Parts p) { p.header.kernels_offset = 8; }), code,
        "contradicts itself"},
       {"more graphs than there are", plain([](Parts p) { p.header.graph_count = UINT32_MAX; }),
        code, "counts 4294967295 graphs"},
       {"a table that wraps", plain([](Parts p) { p.metadata.graphs.offset = kWraps; }), code,
        "graph table"},
       {"a table without bytes", plain([](Parts p) { p.metadata.tensors.count = UINT32_MAX; }),
        code, "tensor table"},
       {"records shorter than they are", plain([](Parts p) { p.metadata.graphs.stride = 1; }), code,
        "graph table"},
       {"records without end", plain([](Parts p) { p.metadata.graphs.stride = UINT32_MAX; }), code,
        "graph table"},
       {"a name beyond the text", plain([](Parts p) { p.graphs[0].name_size = UINT32_MAX; }), code,
        "its name lies outside"},
       {"a name that wraps", plain([](Parts p) { p.graphs[0].name_begin = UINT32_MAX; }), code,
        "its name lies outside"},
       {"tensors beyond the list", plain([](Parts p) { p.graphs[0].tensors_count = UINT32_MAX; }),
        code, "its tensors lie outside"},
       {"a plan that wraps", plain([](Parts p) { p.graphs[0].plan_offset = kWraps; }), code,
        "its plan lies outside"},
       {"a plan beyond the end", plain([](Parts p) { p.graphs[0].plan_size = UINT64_MAX; }), code,
        "its plan lies outside"},
       {"bytes of no tensor", plain([](Parts p) { p.graphs[0].blob = 7; }), code, "tensor 7 of 2"},
       {"two graphs of one name",
        plain([](Parts p) { p.graphs[1].name_begin = p.graphs[0].name_begin; }), code, "sorted"},
       {"a tensor that wraps", plain([](Parts p) { p.tensors[0].offset = kWraps; }), code,
        "outside the file"},
       {"a tensor beyond the end", plain([](Parts p) { p.tensors[0].stored_size = kWraps; }), code,
        "outside the file"},
       {"a tensor of another size", plain([](Parts p) { p.tensors[0].size = kWraps; }), code,
        "should give"},
       {"a codec that is none", plain([](Parts p) { p.tensors[0].codec = 77; }), code, "codec is"},
       {"a frame in a file without", plain([](Parts p) { p.tensors[0].codec = 1; }), code,
        "does not require 'zstd'"},
       {"a tensor with a wrong bit", plain([](Parts p) { p.tensors[0].hash.low ^= 1; }), code,
        "is damaged"}});
}

TEST(fault_table, damaged_lists_of_targets_are_refused) {
  const Code code = Code::kInvalidGraph;
  const std::string right = "x86-64-v3;aarch64";
  CHECK_OK(read_container(exact_copy(listed(right))));
  check_faults(
      "list of targets", read_container,
      {{"a head that ends before it",
        listed(right, [](ContextHeader& h) { h.header_size = sizeof(ContextHeader); }), code,
        "has no list of them"},
       {"a head that ends within it", listed(right, [](ContextHeader& h) { h.header_size -= 1; }),
        code, "has no list of them"},
       {"a head longer than the page",
        listed(right, [](ContextHeader& h) { h.header_size = UINT32_MAX; }), code,
        "contradicts itself"},
       {"kernels within it", listed(right, [](ContextHeader& h) { h.kernels_offset = 300; }), code,
        "contradicts itself"},
       {"a list of none", listed(""), code, "expected two targets or more"},
       {"a list of one", listed("x86-64-v3"), code, "expected two targets or more"},
       {"one of no name", listed("x86-64-v3;;aarch64"), code, "expected two targets or more"},
       {"a last one of no name", listed("x86-64-v3;"), code, "expected two targets or more"},
       {"one that is there twice", listed("x86-64-v3;aarch64;aarch64"), code, "each once"},
       {"another one first", listed("aarch64;x86-64-v3"), code, "'x86-64-v3' first"},
       {"nothing but separators", listed(std::string(sizeof(ContextTargets), ';')), code,
        "expected two targets or more"},
       {"no end",
        listed("x86-64-v3;" + std::string(sizeof(ContextTargets) - 10, 'a'),
               [](ContextHeader& h) { h.target[0] = 'y'; }),
        code, "'y86-64-v3' first"},
       {"a list in place of a target",
        plain([](Parts p) { std::memcpy(p.header.target, "a;b", 4); }), code,
        "does not need 'several-targets'"}});
}

TEST(fault_table, damaged_frames_are_refused) {
  const Code code = Code::kInvalidGraph;
  const std::string whole = zstd_compress(as_bytes(std::string(5000, 'a')), 3).value();
  const std::string other = zstd_compress(as_bytes(std::string(5001, 'a')), 3).value();
  CHECK_OK(read_frame(exact_copy(whole)));
  check_faults("zstd frame", read_frame,
               {{"no bytes", "", code, "found 0 bytes"},
                {"other bytes", std::string(50, 'x'), code, "do not begin like one"},
                {"a head that is cut", whole.substr(0, 5), code, "head"},
                {"a frame that is cut", whole.substr(0, whole.size() - 5), code, "damaged frame"},
                {"more than it may hold", other, code, "found one that says 5001"},
                {"something behind it", whole + "x", code, "expected one frame"},
                {"two frames", whole + whole, code, "expected one frame"},
                {"a wrong checksum", with_number(whole, whole.size() - 4, uint32_t{1}), code,
                 "expected to hold 5000"}});
  check_faults(
      "frame of a container", read_container,
      {{"a size that no frame gives", packed([](Parts p) { p.tensors[0].size = ~uint64_t{0}; }),
        code, "cannot give"},
       {"a size that this frame does not give", packed([](Parts p) { p.tensors[0].size = 4999; }),
        code, "found one that says 5000"},
       {"frames that share their bytes",
        wounded(3,
                [](Parts p, std::string& bytes) {
                  for (int i = 0; i < 2; ++i) {
                    p.tensors[i].offset = 0;
                    p.tensors[i].stored_size = bytes.size();
                  }
                }),
        code, "share their bytes"},
       {"a frame of other bytes", packed([](Parts p) { p.tensors[0].hash.low ^= 1; }), code,
        "is damaged"}});
}

TEST(fault_table, damaged_plans_are_refused) {
  const Code code = Code::kInvalidGraph;
  CHECK_OK(read_plan(exact_copy(plan([](ImageEditor&) {}))));
  check_faults(
      "plan", read_plan,
      {{"no bytes", "", code, "expected at least"},
       {"a plan that is cut", plan([](ImageEditor&) {}).substr(0, 400), code, "expected"},
       {"a size that lies", plan([](ImageEditor& e) { e.header().image_size = UINT64_MAX; }), code,
        "expected 18446744073709551615 bytes"},
       {"a table that wraps", plan([](ImageEditor& e) { e.header().steps.offset = ~uint64_t{7}; }),
        code, "does not fit"},
       {"a table without bytes", plan([](ImageEditor& e) { e.header().slots.count = UINT32_MAX; }),
        code, "does not fit"},
       {"records without end", plan([](ImageEditor& e) { e.header().bodies.stride = ~7u; }), code,
        "body table"},
       {"no body", plan([](ImageEditor& e) { e.header().bodies.count = 0; }), code, "no body"},
       {"a text beyond the end", plan([](ImageEditor& e) {
          e.slot(0).name = {8, UINT32_MAX};
        }),
        code, "out of bounds"},
       {"a list that wraps", plan([](ImageEditor& e) {
          e.body(0).inputs = {UINT32_MAX, 2};
        }),
        code, "out of bounds"},
       {"slots of another body", plan([](ImageEditor& e) { e.body(2).slots = e.body(1).slots; }),
        code, "those of the body before"},
       {"a slot that is none", plan([](ImageEditor& e) { e.slot(0).kind = 9; }), code, "slot 0"},
       {"a body used twice", nested_ifs(20, /*shared=*/true), code, "is used twice"},
       {"bodies in bodies", nested_ifs(20000, /*shared=*/false), code, "nested deeper than 20"}});
}

TEST(fault_table, damaged_journals_are_refused) {
  const auto read = [](const Blob& bytes) {
    return parse_journal(bytes.bytes(), ".m.ortc-journal").status();
  };
  const std::string head = little(1, 4) + little(1, 4) + little(1, 4);
  const std::string entry = text(".m.0123456789abcdef.tmp") + text("m");
  const Code code = Code::kInvalidGraph;
  CHECK_OK(read(exact_copy(journal_of({"w", "m"}))));
  check_faults(
      "journal", read,
      {{"no bytes", "", code, "does not begin as one"},
       {"too many bytes", std::string(kJournalSizeLimit + 1, 'x'), code, "too large"},
       {"a wrong bit", journal_of({"m"}).replace(30, 1, "~"), code, "checksum"},
       {"a text beyond the end", journal(head + little(UINT32_MAX, 4) + "g"), code, "head"},
       {"a text that is cut", journal(head + text("g") + little(23, 4) + ".m.01"), code,
        "ends too early"},
       {"a count without bytes", journal(little(1, 4) + little(64, 4) + little(1, 4) + text("g")),
        code, "ends too early"},
       {"a count beyond the limit",
        journal(little(1, 4) + little(UINT32_MAX, 4) + little(1, 4) + text("g") + entry), code,
        "number of files"},
       {"no files", journal_of({}), code, "number of files"},
       {"bytes behind the last file", journal(head + text("g") + entry + "x"), code, "too late"},
       {"a path that leads out", journal_of({"../w", "m"}), code, "folder"},
       {"a path that leads out later", journal_of({"a/../../w", "m"}), code, "folder"},
       {"an absolute path", journal_of({"/w", "m"}), code, "absolute"},
       {"a path of another system", journal_of({"a\\w", "m"}), code, "separator"},
       {"a name with a zero", journal_of({std::string("w\0x", 3), "m"}), code, "zero"},
       {"one name twice", journal_of({"m", "m"}), code, "twice"},
       {"a name in another", journal_of({"m/w", "m"}), code, "twice"},
       {"another model", journal_of({"n"}), code, "another model"},
       {"a staged name of another file",
        journal(head + text("g") + text(".n.0123456789abcdef.tmp") + text("m")), code, "staged"},
       {"a later version", journal(little(2, 4) + head), Code::kNotImplemented, "version 2"}});
}

TEST(fault_table, damaged_adapters_are_refused) {
  const auto read = [](const Blob& bytes) { return read_lora_adapter(bytes).status(); };
  const std::string good = adapter("pair");
  const size_t root = target_of(good, 0), list = target_of(good, root + 16);
  const size_t parameter = target_of(good, list + 4), name = target_of(good, parameter + 4);
  const size_t dims = target_of(good, parameter + 8), data = target_of(good, parameter + 16);
  const Code code = Code::kFail;
  CHECK_OK(read(exact_copy(good)));
  check_faults(
      "adapter", read,
      {{"no bytes", "", code, "expected the identifier"},
       {"another file", adapter("other_file"), code, "expected the identifier"},
       {"a root beyond the end", with_number(good, 0, UINT32_MAX), code, "identifier"},
       {"a table without fields", with_number(good, root, int32_t{INT32_MAX}), code, "version 0"},
       {"fields before the begin", with_number(good, root, int32_t{INT32_MIN}), code, "version 0"},
       {"a later version", adapter("newer"), code, "version 2"},
       {"a list beyond the end", with_number(good, root + 16, UINT32_MAX), code, "no list"},
       {"a list without bytes", with_number(good, list, UINT32_MAX), code, "no list"},
       {"a parameter beyond the end", with_number(good, list + 4, UINT32_MAX), code, "lacks"},
       {"a parameter nowhere", with_number(good, list + 4, 0u), code, "list of parameters"},
       {"a name without end", with_number(good, name, UINT32_MAX), code, "lacks its name"},
       {"an empty name", with_number(good, name, 0u), code, "lacks its name"},
       {"dimensions without bytes", with_number(good, dims, UINT32_MAX), code, "lacks"},
       {"data without bytes", with_number(good, data, UINT32_MAX), code, "lacks"},
       {"elements that wrap", adapter("huge"), code, "bytes of data"},
       {"a negative dimension", adapter("negative"), code, "bytes of data"},
       {"fewer data than its shape", adapter("short_data"), code, "15 bytes of data"},
       {"a type that is none", adapter("no_type"), code, "element type 99"},
       {"strings", adapter("strings"), code, "element type 8"},
       {"one name twice", adapter("twice"), code, "two parameters"}});
}
