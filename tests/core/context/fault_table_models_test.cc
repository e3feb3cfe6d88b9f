// SPDX-License-Identifier: MIT
// Faults of ONNX models: of the wire, of tensors, of external data and of files of initializers.
#include <sys/stat.h>
#include <unistd.h>

#include "core/context/external_initializers.h"
#include "core/platform/zstd.h"
#include "tests/core/graph/wire_model.h"
#include "tests/core/platform/platform_files.h"
#include "tests/support/failing_allocations.h"
#include "tests/support/fault_table.h"

namespace fs = std::filesystem;
using namespace ortc;
using namespace ortc::test;
using namespace ortc::wire;

namespace {

Status read_as_model(const Blob& bytes) { return import_model_bytes(bytes, {}).status(); }

std::string of_tensor(const std::string& tensor) {
  return model(graph({node("Identity", {"w"}, {"y"})}, {}, {plain("y")}, {tensor}));
}

std::string repeated(size_t count, const std::string& part) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += part;
  return text;
}

std::string nested_graphs(int depth) {
  std::string inner = graph({}, {}, {});
  for (int i = 0; i < depth; ++i) {
    inner = graph({node("If", {}, {}, {graph_attribute("then_branch", inner)})}, {}, {});
  }
  return model(inner);
}

std::string nested_types(int depth) {
  std::string type = tensor_type(1, {1});
  for (int i = 0; i < depth; ++i) type = field(4, field(1, type));
  return model(graph({}, {field(1, "x") + field(2, type)}, {}));
}

// A function that is called twice by the next, and so on: 2^count nodes once inlined.
std::string doubling_functions(int count) {
  Texts functions = {function("F0", {"a"}, {"b"}, {node("Relu", {"a"}, {"b"})})};
  for (int i = 1; i < count; ++i) {
    const std::string callee = str_cat("F", i - 1);
    functions.push_back(function(
        str_cat("F", i), {"a"}, {"b"},
        {node(callee, {"a"}, {"m"}, {}, "", "local"), node(callee, {"m"}, {"b"}, {}, "", "local")},
        field(9, opset("local", 1))));
  }
  return model(graph({node(str_cat("F", count - 1), {"x"}, {"y"}, {}, "", "local")},
                     {value("x", 1, {2})}, {value("y", 1, {2})}),
               functions);
}

std::string calls_itself() {
  return model(
      graph({node("F", {"x"}, {"y"}, {}, "", "local")}, {value("x", 1, {2})}, {value("y", 1, {2})}),
      {function("F", {"a"}, {"b"}, {node("F", {"a"}, {"b"}, {}, "", "local")},
                field(9, opset("local", 1)))});
}

using Entries = std::vector<std::pair<std::string, std::string>>;

// A model with four floats in a file.
std::string elsewhere(const Entries& entries, int64_t type = 1) {
  return of_tensor(tensor("w", type, {4}, external(entries)));
}

// beside/: the files beside the model; secret.bin stands above.
std::string files_beside() {
  const std::string above = fresh_folder("above"), folder = above + "/beside";
  fs::create_directories(folder + "/sub");
  put_file(above + "/secret.bin", std::string(64, 's'));
  put_file(folder + "/w.bin", std::string(64, 'w'));
  put_file(folder + "/frame.bin", zstd_compress(as_bytes(std::string(16, 'z')), 3).value());
  CHECK_EQ(symlink("../secret.bin", (folder + "/out.bin").c_str()), 0);
  CHECK_EQ(symlink("..", (folder + "/up").c_str()), 0);
  CHECK_EQ(symlink("loop.bin", (folder + "/loop.bin").c_str()), 0);
  CHECK_EQ(mkfifo((folder + "/pipe.bin").c_str(), 0600), 0);
  return folder;
}

}  // namespace

TEST(fault_table, broken_onnx_wire_data_are_refused) {
  const Code code = Code::kInvalidProtobuf;
  const std::string head = number_field(1, 8);
  check_faults(
      "onnx wire", read_as_model,
      {{"no bytes", "", code, "found nothing at all"},
       {"a length beyond the end", head + "\x3a\x7f", code, "127 bytes, 0 are left"},
       {"a length that wraps", head + "\x3a" + repeated(9, "\xff") + "\x01", code, "are left"},
       {"a length of eleven bytes", head + "\x3a" + repeated(11, "\xff"), code, "does not end"},
       {"a length that is cut", head + "\x3a\x80", code, "does not end"},
       {"a tag that does not end", repeated(11, "\xff"), code, "a tag does not end"},
       {"a number that does not end", std::string("\x08\x80\x80", 3), code, "does not end"},
       {"field 0", std::string("\x02\x00", 2), code, "field number 0"},
       {"a group", "\x3b", code, "wire type 3"},
       {"fixed bytes that are cut", std::string("\x09\x01\x02", 3), code, "are left"},
       {"a text in place of a number", field(1, "eight"), code, "expected"},
       {"a number in place of a graph", number_field(7, 1), code, "expected"},
       {"two graphs", repeated(2, field(7, graph({}, {}, {}))), code, "twice"},
       {"graphs in graphs", nested_graphs(1000), code, "nested deeper than 64"},
       {"types in types", nested_types(1000), code, "nested deeper than 64"},
       {"a rank of 65", of_tensor(tensor("w", 1, std::vector<int64_t>(65, 1), "")), code, "rank"},
       {"a packed rank of 65", of_tensor(field(1, std::string(65, '\1'))), code, "rank"},
       {"a run of floats that is cut", of_tensor(tensor("w", 1, {1}, field(4, "abc"))), code,
        "packed run"},
       {"a run of numbers that does not end", of_tensor(tensor("w", 7, {1}, field(7, "\x80"))),
        code, "does not end"}});
}

TEST(fault_table, broken_graphs_are_refused) {
  const Code code = Code::kInvalidGraph;
  check_faults(
      "graph", read_as_model,
      {{"functions that double", doubling_functions(40), code, "would take more than"},
       {"a function that calls itself", calls_itself(), code, "itself"},
       {"a cycle",
        model(graph({node("Add", {"x", "b"}, {"a"}), node("Relu", {"a"}, {"b"})},
                    {value("x", 1, {2})}, {plain("b")})),
        code, "cycle"},
       {"a value that nobody makes",
        model(graph({node("Relu", {"nowhere"}, {"y"})}, {}, {plain("y")})), code, "nowhere"},
       {"two values of one name",
        model(graph({node("Relu", {"x"}, {"y"}), node("Abs", {"x"}, {"y"})}, {value("x", 1, {2})},
                    {plain("y")})),
        code, "y"}});
}

TEST(fault_table, broken_tensors_are_refused) {
  const Code code = Code::kInvalidGraph;
  const int64_t huge = int64_t{1} << 62;
  check_faults(
      "tensor data", read_as_model,
      {{"elements that wrap", of_tensor(tensor("w", 1, {huge, huge}, raw("abcd"))), code,
        "no valid number of elements"},
       {"bytes that wrap", of_tensor(tensor("w", 11, {huge}, raw("abcd"))), code, "valid size"},
       {"a negative dimension", of_tensor(tensor("w", 1, {-1}, raw("abcd"))), code,
        "no valid number of elements"},
       {"a count without bytes", of_tensor(tensor("w", 1, {int64_t{1} << 40}, "")), code,
        "expected 4398046511104 bytes"},
       {"numbers without bytes", of_tensor(tensor("w", 7, {int64_t{1} << 40}, "")), code,
        "expected 1099511627776 elements"},
       {"strings without bytes", of_tensor(tensor("w", 8, {int64_t{1} << 40}, field(6, "one"))),
        code, "expected 1099511627776 elements"},
       {"fewer bytes than its shape", of_tensor(tensor("w", 1, {2}, raw("abcd"))), code,
        "expected 8 bytes in raw_data, found 4"},
       {"more bytes than its shape", of_tensor(tensor("w", 1, {1}, raw("abcdefgh"))), code,
        "expected 4 bytes in raw_data, found 8"},
       {"a type that is none", of_tensor(tensor("w", 99, {1}, raw("abcd"))), code, "type 99"},
       {"strings as bytes", of_tensor(tensor("w", 8, {1}, raw("one"))), code, "raw_data"},
       {"a number out of range", of_tensor(tensor("w", 3, {1}, field(5, "\xff\x7f"))), code,
        "out of range"},
       {"segments", of_tensor(tensor("w", 1, {1}, field(3, "") + raw("abcd"))),
        Code::kNotImplemented, "segments"}});
}

TEST(fault_table, broken_references_to_external_data_are_refused) {
  const std::string folder = files_beside();
  const auto read = [&](const Blob& bytes) {
    ImportOptions options;
    options.external_data_folder = folder;
    return import_model_bytes(bytes, options).status();
  };
  const Code code = Code::kFail;
  const std::string frame_size = str_cat(fs::file_size(folder + "/frame.bin"));
  const auto frame = [&](const std::string& length, int64_t dim) {
    return of_tensor(
        tensor("w", 2, {dim},
               external({{"location", "frame.bin"}, {"length", length}, {"compression", "zstd"}})));
  };
  check_faults(
      "external data", read,
      {{"an absolute path", elsewhere({{"location", "/etc/passwd"}}), code, "/etc/passwd"},
       {"a path that leads out", elsewhere({{"location", "../secret.bin"}}), code, "secret.bin"},
       {"a path that leads out later", elsewhere({{"location", "sub/../../secret.bin"}}), code,
        "secret.bin"},
       {"a path of another system", elsewhere({{"location", "C:\\w.bin"}}), code, "C:"},
       {"a path with a zero", elsewhere({{"location", std::string("w.bin\0x", 7)}}), code, "w.bin"},
       {"a path that is too long", elsewhere({{"location", std::string(70000, 'w')}}), code, "www"},
       {"a link that leads out", elsewhere({{"location", "out.bin"}}), code, "out.bin"},
       {"a folder that leads out", elsewhere({{"location", "up/secret.bin"}}), code, "secret.bin"},
       {"a link that leads to itself", elsewhere({{"location", "loop.bin"}}), code, "loop.bin"},
       {"a pipe", elsewhere({{"location", "pipe.bin"}}), code, "pipe.bin"},
       {"a folder", elsewhere({{"location", "sub"}}), code, "sub"},
       {"memory", elsewhere({{"location", "*/_ORT_MEM_ADDR_/*"}}), code, "MEM_ADDR"},
       {"no path", elsewhere({{"offset", "0"}}), code, "location is missing"},
       {"an offset that wraps",
        elsewhere({{"location", "w.bin"}, {"offset", "18446744073709551615"}}), code,
        "at offset 18446744073709551615"},
       {"an offset beyond 64 bits",
        elsewhere({{"location", "w.bin"}, {"offset", "18446744073709551616"}}), code, "decimal"},
       {"a negative offset", elsewhere({{"location", "w.bin"}, {"offset", "-1"}}), code, "decimal"},
       {"a range beyond the end", elsewhere({{"location", "w.bin"}, {"offset", "52"}}), code,
        "found a file of 64 bytes"},
       {"a length that lies", elsewhere({{"location", "w.bin"}, {"length", "12"}}), code,
        "expected 16 bytes"},
       {"strings", elsewhere({{"location", "w.bin"}}, 8), code, "strings"},
       {"a frame that is none",
        of_tensor(
            tensor("w", 2, {16},
                   external({{"location", "w.bin"}, {"length", "16"}, {"compression", "zstd"}}))),
        Code::kInvalidGraph, "do not begin like one"},
       {"a frame for a larger tensor", frame(frame_size, int64_t{1} << 40), Code::kInvalidGraph,
        "found one that says 16"},
       {"a frame that is cut", frame("12", 16), Code::kInvalidGraph, "zstd"},
       {"a frame without length",
        of_tensor(
            tensor("w", 2, {16}, external({{"location", "frame.bin"}, {"compression", "zstd"}}))),
        code, "need a length"}});
}

TEST(fault_table, damaged_files_of_initializers_are_refused) {
  const std::string folder = fresh_folder("initializers");
  const std::string generation = Hash128{1, 2}.hex();
  // 16 bytes of a tensor, then what says which model it belongs to.
  std::string good(16, 'w');
  good += std::string("ORTCINIT\1\0\0\0\0\0\0\0", 16);
  const uint64_t numbers[2] = {2, 1};
  good.append(reinterpret_cast<const char*>(numbers), 16);
  Model named;
  ExternalInitializersRecord record{"w.bin", good.size(), {}, generation, std::nullopt};
  record.write_to(named);
  const auto read = [&](const Blob& bytes) {
    put_file(folder + "/w.bin", std::string(bytes.text()));
    ExternalFiles files(folder, "", Access::kRead);
    return check_external_initializers(named, files);
  };
  CHECK_OK(read(exact_copy(good)));
  const Code code = Code::kInvalidGraph;
  check_faults("external initializers", read,
               {{"no bytes", "", code, "expected a file of 48 bytes, found 0"},
                {"a file that is cut", good.substr(0, 47), code, "found 47"},
                {"a file that is longer", good + "x", code, "found 49"},
                {"no trailer", std::string(48, 'w'), code, "expected a trailer at its end"},
                {"a later trailer", with_number(good, 24, uint32_t{2}), code, "trailer"},
                {"another generation", with_number(good, 40, uint64_t{3}), code, "generation"}});
  const auto damaged = [&](const char* key, const std::string& text) {
    Model model;
    record.write_to(model);
    model.set_metadata(str_cat("ortc.external_initializers.", key), text);
    ExternalFiles files(folder, "", Access::kRead);
    return check_external_initializers(model, files);
  };
  CHECK_OK(read(exact_copy(good)));
  CHECK_OK(damaged("name", "w.bin"));
  for (const char* size : {"", "-1", "48 ", "0x30", "18446744073709551616"}) {
    CHECK_CODE(damaged("size", size), code);
  }
  CHECK_CODE(damaged("size", "18446744073709551615"), code);
  CHECK_CODE(damaged("hash", "12"), code);
  CHECK_CODE(damaged("generation", ""), code);
  CHECK_CODE(damaged("compression", "gzip"), Code::kNotImplemented);
  CHECK_CODE(damaged("compression", "zstd"), code);
}
