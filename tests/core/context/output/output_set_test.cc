// SPDX-License-Identifier: MIT
// Output sets: what they refuse to replace, in which order they write, what they leave behind.
#include "core/context/output/output_set.h"

#include <unistd.h>

#include "core/platform/shared_folder/folder_lock.h"
#include "core/platform/staged_write.h"
#include "core/proto/wire_writer.h"
#include "tests/core/context/context_testing.h"
#include "tests/core/context/output/file_sets.h"
#include "tests/support/wire_text.h"

namespace fs = std::filesystem;
using namespace ortc;
using namespace ortc::test;

namespace {

// A model of one initializer with external data.
std::string model_naming(const std::string& file) {
  WireWriter entry, tensor, graph, model;
  entry.add_bytes(1, "location");
  entry.add_bytes(2, file);
  tensor.add_bytes(8, "w");
  tensor.add_message(13, entry);
  graph.add_message(5, tensor);
  model.add_varint(1, 8);
  model.add_message(7, graph);
  return wire_text(model);
}

// A model with one EPContext node.
std::string model_with_context(const std::string& file) {
  WireWriter attribute, node, graph, model;
  attribute.add_bytes(1, "ep_cache_context");
  attribute.add_bytes(4, file);
  node.add_bytes(4, "EPContext");
  node.add_message(5, attribute);
  graph.add_message(1, node);
  model.add_message(7, graph);
  return wire_text(model);
}

OutputRules overwriting(const std::string& source = {}) {
  OutputRules rules;
  rules.overwrite = true;
  rules.source_path = source;
  return rules;
}

Status check_set(const std::string& folder, const OutputRules& rules, const Names& names,
                 const std::string& model = kModel) {
  OutputSet set(OutputPlace::file(folder + "/" + model), rules);
  for (const std::string& name : names) RETURN_IF_ERROR(set.expect(name));
  return set.check();
}

Status produce(const OutputSet::ByteSink& sink) {
  RETURN_IF_ERROR(sink(as_bytes("mo")));
  return sink(as_bytes("del"));
}

Status write_files(OutputSet& set, const Names& names) {
  for (const std::string& name : names) RETURN_IF_ERROR(set.expect(name));
  RETURN_IF_ERROR(set.check());
  RETURN_IF_ERROR(set.begin());
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(StagedFile * file, set.stage(name));
    RETURN_IF_ERROR(file->write(as_bytes(name)));
  }
  RETURN_IF_ERROR(set.write_model(0, 5, produce));
  return set.commit("g");
}

}  // namespace

TEST(output_set, writes_a_model_and_its_files_and_says_where) {
  const std::string folder = fresh_folder("plain");
  OutputSet set(OutputPlace::file(folder + "/" + kModel), {});
  CHECK_OK(write_files(set, {kBinary, "sub/w.bin"}));
  CHECK_EQ(get_file(folder + "/" + kModel), "model");
  CHECK_EQ(get_file(folder + "/sub/w.bin"), "sub/w.bin");
  CHECK_EQ(set.files().size(), 3u);
  CHECK_EQ(set.files()[2].path, folder + "/" + kModel);
  CHECK_EQ(set.files()[2].bytes, 5u);
  CHECK((names_in(folder) == Names{kBinary, kModel, "sub"}));
}

TEST(output_set, knows_before_compiling_what_is_in_the_way) {
  const std::string folder = fresh_folder("way");
  check_refused(check_set(folder + "/none", {}, {}), "does not exist");
  put_file(folder + "/file", "");
  check_refused(check_set(folder + "/file", {}, {}), "is not a folder");
  CHECK_OK(check_set(folder, {}, {kBinary}));
  put_file(folder + "/" + kBinary, "old");
  check_refused(check_set(folder, {}, {kBinary}), "exists already");
  CHECK_OK(check_set(folder, overwriting(), {kBinary}));
  put_file(folder + "/" + kModel, "old");
  check_refused(check_set(folder, {}, {}), "exists already");
  fs::create_directory(folder + "/dir.onnx");
  check_refused(check_set(folder, overwriting(), {}, "dir.onnx"), "is a folder");
  check_refused(check_set(folder, overwriting(), {"file/w.bin"}), "to be a folder");
  CHECK_EQ(get_file(folder + "/" + kBinary), "old");
}

TEST(output_set, refuses_names_that_collide) {
  const std::string folder = fresh_folder("collide");
  for (const Names& names :
       {Names{kBinary, kBinary}, Names{kModel}, Names{"a", "a/b"}, Names{"a/b", "a"},
        Names{"../w.bin"}, Names{"/w.bin"}, Names{""}, Names{"a//b"}, Names{".x.ortc-journal"}}) {
    CHECK_CODE(check_set(folder, {}, names), Code::kInvalidArgument);
  }
}

TEST(output_set, never_replaces_the_source_nor_what_it_reads) {
  const std::string folder = fresh_folder("source");
  const std::string source = folder + "/s.onnx";
  put_file(source, model_naming("w.onnx.data"));
  put_file(folder + "/w.onnx.data", "weights");
  put_file(folder + "/other", "free");
  fs::create_symlink("w.onnx.data", folder + "/link");
  OutputRules rules = overwriting(source);
  rules.replace_shared = true;  // helps other models only
  check_refused(check_set(folder, rules, {}, "s.onnx"), "it is the source model");
  check_refused(check_set(folder, rules, {"w.onnx.data"}), "the source model reads it");
  check_refused(check_set(folder, rules, {"link"}), "the source model reads it");
  CHECK_OK(check_set(folder, rules, {"other"}));
  // By another way to the same file.
  fs::create_directory_symlink(folder, folder + "/loop");
  rules.source_path = folder + "/loop/s.onnx";
  check_refused(check_set(folder, rules, {"w.onnx.data"}), "the source model reads it");

  rules = overwriting();
  const std::string bytes = model_naming("w.onnx.data");
  rules.source_bytes = as_bytes(bytes);
  rules.source_folder = folder;
  check_refused(check_set(folder, rules, {"w.onnx.data"}), "the source model reads it");
}

TEST(output_set, never_replaces_what_another_model_reads_whatever_it_is_called) {
  const std::string folder = fresh_folder("neighbour");
  put_file(folder + "/w.bin", "weights");
  put_file(folder + "/" + kBinary, "context");
  put_file(folder + "/" + kModel, model_naming("w.bin"));  // replaced together with it
  put_file(folder + "/noise", std::string(100000, '\x0a'));
  CHECK_OK(check_set(folder, overwriting(), {"w.bin", kBinary}));
  put_file(folder + "/theirs.ext", model_naming("./w.bin") + "damage behind the graph");
  check_refused(check_set(folder, overwriting(), {"w.bin"}), "theirs.ext");
  put_file(folder + "/second", model_with_context(kBinary));
  check_refused(check_set(folder, overwriting(), {kBinary}), "second");
  OutputRules knowing = overwriting();
  knowing.replace_shared = true;
  CHECK_OK(check_set(folder, knowing, {"w.bin", kBinary}));
  // Beneath: models of either folder.
  fs::create_directory(folder + "/sub");
  put_file(folder + "/sub/x.bin", "weights");
  CHECK_OK(check_set(folder, overwriting(), {"sub/x.bin"}));
  put_file(folder + "/sub/inner.onnx", model_naming("x.bin"));
  check_refused(check_set(folder, overwriting(), {"sub/x.bin"}), "sub/inner.onnx");
}

// Leaves a set in `folder` whose writer ended behind the commit point.
static void commit_and_end(const std::string& folder, const Names& names) {
  const HookForScope hook([&](const char* operation, const std::string& path) {
    const bool is_final = std::string_view(operation) == "rename" && !has_text(path, "-journal");
    return is_final ? fail("not today") : Status::ok();
  });
  OutputSet set(OutputPlace::file(folder + "/" + kModel), overwriting());
  CHECK(has_text(write_files(set, names).message(), "are in place"));
}

TEST(output_set, completes_what_stands_behind_a_link_before_it_asks_who_reads_it) {
  const std::string folder = fresh_folder("linked"), elsewhere = fresh_folder("elsewhere");
  put_file(folder + "/theirs", model_naming("w.bin"));
  put_file(folder + "/s.onnx", model_naming("v.bin"));
  fs::create_symlink("step", folder + "/w.bin");
  fs::create_symlink("../" + elsewhere.substr(elsewhere.rfind('/') + 1) + "/w.bin",
                     folder + "/step");
  fs::create_symlink(elsewhere + "/v.bin", folder + "/v.bin");
  commit_and_end(elsewhere, {"v.bin", "w.bin"});
  CHECK(!fs::exists(folder + "/w.bin"));
  for (const std::string name : {"w.bin", "v.bin"}) {
    OutputSet set(OutputPlace::file(folder + "/" + kModel), overwriting(folder + "/s.onnx"));
    check_refused(write_files(set, {name}),
                  name == "w.bin" ? "belongs to the model" : "the source model reads it");
    CHECK_EQ(get_file(folder + "/" + name), name);
  }
  CHECK((names_in(elsewhere) == Names{kModel, "v.bin", "w.bin"}));
}

TEST(output_set, replaces_a_link_and_not_what_it_leads_to) {
  const std::string folder = fresh_folder("replaced"), elsewhere = fresh_folder("kept");
  fs::create_symlink(elsewhere + "/" + kModel, folder + "/" + kModel);
  fs::create_symlink("circle", folder + "/circle");
  commit_and_end(elsewhere, {kBinary});
  OutputSet set(OutputPlace::file(folder + "/" + kModel), overwriting());
  CHECK_OK(write_files(set, {kBinary, "circle"}));
  CHECK(fs::is_regular_file(fs::symlink_status(folder + "/" + kModel)));
  CHECK_EQ(get_file(elsewhere + "/" + kModel), "model");
  CHECK((names_in(elsewhere) == Names{kBinary, kModel}));
}

TEST(output_set, looks_again_under_the_lock) {
  const std::string folder = fresh_folder("again");
  OutputSet set(OutputPlace::file(folder + "/" + kModel), {});
  CHECK_OK(set.expect(kBinary));
  CHECK_OK(set.check());
  put_file(folder + "/" + kBinary, "theirs");
  check_refused(set.begin(), "exists already");
  CHECK_EQ(get_file(folder + "/" + kBinary), "theirs");
}

TEST(output_set, streams_the_model_when_its_files_are_on_the_device) {
  const std::string folder = fresh_folder("stream");
  std::string model;
  ModelStream stream;
  uint64_t announced = 0;
  stream.begin = [&](uint64_t size) {
    announced = size;
    CHECK_EQ(names_in(folder).size(), 1u);  // staged, and without its name
    CHECK(names_in(folder)[0].ends_with(".tmp"));
    return Status::ok();
  };
  stream.write = [&](Bytes piece) {
    CHECK(piece.size() <= kStreamPieceMax);
    model += as_text(piece);
    return Status::ok();
  };
  OutputSet set(OutputPlace::streamed(stream, folder, "q_ctx"), {});
  CHECK_EQ(set.place().model_name, "q_ctx.onnx");
  CHECK_OK(write_files(set, {kBinary}));
  CHECK_EQ(model, "model");
  CHECK_EQ(announced, 5u);
  CHECK(names_in(folder) == Names{kBinary});
  CHECK_EQ(set.files().size(), 1u);
}

TEST(output_set, keeps_nothing_when_the_sink_fails) {
  const std::string folder = fresh_folder("sink");
  put_file(folder + "/" + kBinary, "old");
  ModelStream stream;
  stream.write = [](Bytes) { return make_status(Code::kEngineError, "sink"); };
  OutputSet set(OutputPlace::streamed(stream, folder), overwriting());
  CHECK_CODE(write_files(set, {kBinary, "sub/w.bin"}), Code::kEngineError);
  {
    OutputSet ended(OutputPlace::streamed(stream, folder), overwriting());
    CHECK_CODE(ended.begin({}), Code::kOk);
  }
  CHECK_EQ(get_file(folder + "/" + kBinary), "old");
}

TEST(output_set, cuts_a_large_model_into_pieces) {
  std::vector<size_t> sizes;
  ModelStream stream;
  stream.write = [&](Bytes piece) {
    sizes.push_back(piece.size());
    return Status::ok();
  };
  const std::string large(2 * kStreamPieceMax + 3, 'x');
  OutputSet set(OutputPlace::streamed(stream), {});
  CHECK_OK(set.check());
  CHECK_OK(set.begin());
  CHECK_OK(set.write_model(0, large.size(),
                           [&](const OutputSet::ByteSink& sink) { return sink(as_bytes(large)); }));
  CHECK_OK(set.commit("g"));
  CHECK((sizes == std::vector<size_t>{kStreamPieceMax, kStreamPieceMax, 3}));
  CHECK_CODE(set.write_model(0, 4, produce), Code::kFail);  // gives 5 bytes
  CHECK_CODE(set.write_model(0, 6, produce), Code::kFail);
}

TEST(output_set, without_a_folder_has_no_files) {
  OutputSet set(OutputPlace::streamed({}), {});
  CHECK_CODE(set.expect(kBinary), Code::kInvalidArgument);
  CHECK_CODE(set.stage(kBinary), Code::kInvalidArgument);
}

TEST(output_set, forgets_the_files_of_a_model_that_is_made_again) {
  const std::string folder = fresh_folder("made_again");
  OutputSet set(OutputPlace::file(folder + "/" + kModel), {});
  CHECK_OK(set.add_model(OutputPlace::file(folder + "/other_ctx.onnx"), {}));
  CHECK_OK(set.expect(kBinary));
  CHECK_OK(set.expect("w0.bin", 0));
  CHECK_OK(set.expect("w1.bin", 1));
  CHECK_CODE(set.expect("w1.bin", 1), Code::kInvalidArgument);
  set.expect_again(1);
  CHECK_OK(set.expect("w1.bin", 1));
  CHECK_CODE(set.expect("w0.bin", 1), Code::kInvalidArgument);
  CHECK_CODE(set.expect(kBinary, 1), Code::kInvalidArgument);
}

TEST(output_set, does_not_wait_longer_than_it_is_told) {
  const std::string folder = fresh_folder("wait");
  const auto other = FolderLock::acquire(folder);
  CHECK_OK(other);
  OutputSet set(OutputPlace::file(folder + "/" + kModel), {});
  CHECK_OK(set.check());  // no lock
  WaitLimits limits;
  limits.go_on = [] { return make_status(Code::kModelLoadCanceled, "enough"); };
  CHECK_CODE(set.begin(limits), Code::kModelLoadCanceled);
}

// Whatever operation fails, the other files of the folder and the old set stay.
TEST(output_set, survives_every_failure_of_a_stream_with_files) {
  bool has_failed = true;
  for (int n = 1; has_failed; ++n) {
    const std::string folder = fresh_folder("every");
    put_file(folder + "/" + kBinary, "old");
    put_file(folder + "/theirs", "theirs");
    Status status;
    int count = 0;
    {
      const HookForScope hook([&](const char* operation, const std::string&) {
        return ++count == n ? fail("cannot ", operation) : Status::ok();
      });
      ModelStream stream;
      stream.write = [](Bytes) { return Status::ok(); };
      OutputSet set(OutputPlace::streamed(stream, folder), overwriting());
      status = write_files(set, {kBinary, "sub/w.bin"});
    }
    has_failed = count >= n;
    const std::string binary = get_file(folder + "/" + kBinary);
    const bool is_new = binary == kBinary;
    CHECK_EQ(status.is_ok(), !has_failed);
    CHECK(is_new || binary == "old");
    CHECK_EQ(is_new, fs::exists(folder + "/sub/w.bin"));
    CHECK_EQ(is_new, status.is_ok() || has_text(status.message(), "in place"));
    CHECK_EQ(names_in(folder).size(), is_new ? 3u : 2u);
    CHECK_EQ(get_file(folder + "/theirs"), "theirs");
  }
}
