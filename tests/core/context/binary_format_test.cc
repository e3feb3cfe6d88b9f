// SPDX-License-Identifier: MIT
// Context binaries as bytes: what is written comes back, what cannot be read is refused by name,
// every wound has a message.
#include <functional>
#include <future>
#include <mutex>
#include <thread>

#include "core/context/binary_reader.h"
#include "core/context/binary_writer.h"
#include "tests/fuzz/seal_context.h"
#include "tests/support/graph_builder.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

Blob letters(size_t size, char letter) { return Blob::from_string(std::string(size, letter)); }

// Two graphs with opaque bytes, the second with those of `second`.
std::string binary_of(int zstd_level, const Blob& first, const Blob& second) {
  ContextBinaryWriter::Options options;
  options.embed = true;
  options.provider = "TestProvider";
  options.target = "x86-64-v3";
  options.zstd_level = zstd_level;
  ContextBinaryWriter writer(options);
  CHECK_OK(writer.add_blob("one", first));
  CHECK_OK(writer.add_blob("two", second));
  const auto bytes = writer.cache_context();
  CHECK_OK(bytes);
  writer.set_generation({7, 8});
  return std::string(bytes->text());
}

std::string plain_binary() { return binary_of(0, letters(100, 'a'), letters(70000, 'b')); }

Result<std::shared_ptr<const ContextBinary>> open(const std::string& bytes) {
  return ContextBinary::open(Blob::copy_of(as_bytes(bytes)), "'test'");
}

template <typename T>
T& at(std::string& bytes, size_t offset) {
  return *reinterpret_cast<T*>(bytes.data() + offset);
}
ContextHeader& header_of(std::string& bytes) { return at<ContextHeader>(bytes, 0); }
MetadataHeader& metadata_of(std::string& bytes) {
  return at<MetadataHeader>(bytes, header_of(bytes).metadata_offset);
}
ContextTensorRecord& tensor_of(std::string& bytes, size_t i) {
  const size_t table = header_of(bytes).metadata_offset + metadata_of(bytes).tensors.offset;
  return at<ContextTensorRecord>(bytes, table + i * metadata_of(bytes).tensors.stride);
}
GraphRecord& graph_of(std::string& bytes, size_t i) {
  const size_t table = header_of(bytes).metadata_offset + metadata_of(bytes).graphs.offset;
  return at<GraphRecord>(bytes, table + i * metadata_of(bytes).graphs.stride);
}

void check_refused(std::string bytes, const char* part,
                   const std::function<void(std::string&)>& wound) {
  wound(bytes);
  fuzz::seal_context(bytes);
  const auto binary = open(bytes);
  CHECK_CODE(binary, Code::kInvalidGraph);
  if (binary.status().message().find(part) == std::string::npos) {
    check_failed(__FILE__, __LINE__, binary.status().message());
  }
}

}  // namespace

TEST(context_binary, what_is_written_comes_back) {
  for (int level : {0, 3}) {
    const auto binary = open(binary_of(level, letters(100, 'a'), letters(70000, 'b')));
    CHECK_OK(binary);
    const ContextHeaderInfo& header = (*binary)->header();
    CHECK_EQ(header.provider, "TestProvider");
    CHECK_EQ(header.target, "x86-64-v3");
    CHECK_EQ(header.generation.hex(), (Hash128{7, 8}.hex()));
    CHECK_EQ(header.required_features, level == 0 ? 0 : kFeatureZstd);
    CHECK((*binary)->graph_names() == (std::vector<std::string>{"one", "two"}));
    CHECK((*binary)->graph("one")->blob.text() == std::string(100, 'a'));
    CHECK((*binary)->graph("two")->blob.text() == std::string(70000, 'b'));
    CHECK_OK((*binary)->verify_data());
    CHECK_EQ((*binary)->data_bytes(), 70100u);
    CHECK_EQ((*binary)->stored_bytes() < 1000, level != 0);
  }
}

TEST(context_binary, equal_bytes_are_stored_once_compressed_or_not) {
  for (int level : {0, 3}) {
    const auto binary = open(binary_of(level, letters(5000, 'a'), letters(5000, 'a')));
    CHECK_OK(binary);
    CHECK_EQ((*binary)->header().tensor_count, 1u);
    const auto one = (*binary)->graph("one"), two = (*binary)->graph("two");
    CHECK(one->blob.data() == two->blob.data());  // decoded once, too
  }
}

// Whoever can write to a mapped file can do so after it was checked.
TEST(context_binary, header_and_metadata_stay_what_was_checked_when_the_file_changes) {
  ContextBinaryWriter::Options options;
  options.embed = true;
  options.provider = "TestProvider";
  ContextBinaryWriter writer(options);
  PlanBuilder builder;
  builder.add_body();
  const PlanImage plan = builder.finish().value();
  CHECK_OK(writer.add_plan("plan", plan));
  CHECK_OK(writer.add_blob("two", letters(70000, 'b')));
  const auto written = writer.cache_context();
  CHECK_OK(written);
  writer.set_generation({7, 8});
  std::string text(written->text());
  const ContextHeader header = header_of(text);
  Tensor file = Tensor::create(DType::kUint8, {static_cast<int64_t>(text.size())}).value();
  auto* bytes = static_cast<std::byte*>(file.mutable_data());
  std::memcpy(bytes, text.data(), text.size());
  const auto binary = ContextBinary::open(Blob(file.bytes(), file.owner()), "'test'");
  CHECK_OK(binary);
  const std::byte* data = (*binary)->graph("two")->blob.data();
  CHECK(data >= bytes && data < bytes + text.size());  // opened in place
  std::memset(bytes, 0xff, kContextPage);
  std::memset(bytes + header.metadata_offset, 0xff, header.metadata_size);
  CHECK((*binary)->graph_names() == (std::vector<std::string>{"plan", "two"}));
  CHECK((*binary)->graph("plan")->plan_image.text() == plan.image.text());
  CHECK((*binary)->graph("two")->blob.text() == std::string(70000, 'b'));
  CHECK_OK((*binary)->verify_data());
}

TEST(context_binary, bytes_that_do_not_shrink_stay_plain) {
  std::string noise;
  for (float number : random_numbers(1000, 3)) {
    noise.append(reinterpret_cast<const char*>(&number), 3);
  }
  const auto binary = open(binary_of(19, Blob::from_string(noise), letters(10, 'x')));
  CHECK_OK(binary);
  CHECK_EQ((*binary)->header().required_features, 0u);
  CHECK((*binary)->graph("one")->blob.text() == noise);
}

TEST(context_binary, texts_that_do_not_fit_the_header_are_refused) {
  ContextBinaryWriter::Options options;
  options.provider = std::string(64, 'p');
  ContextBinaryWriter writer(options);
  CHECK_CODE(writer.seal(), Code::kInvalidArgument);
}

// Of one graph, 70000 bytes.
Result<std::string> binary_for(const std::string& target) {
  ContextBinaryWriter::Options options;
  options.embed = true;
  options.provider = "TestProvider";
  options.target = target;
  ContextBinaryWriter writer(options);
  CHECK_OK(writer.add_blob("one", letters(70000, 'b')));
  ASSIGN_OR_RETURN(const Blob bytes, writer.cache_context());
  writer.set_generation({7, 8});
  return std::string(bytes.text());
}

TEST(context_targets, several_come_back_and_cost_nothing) {
  const std::string several = "x86-64-v3;x86-64-v4;aarch64";
  std::string bytes = binary_for(several).value();
  CHECK_EQ(bytes.size(), binary_for("x86-64-v3").value().size());
  CHECK_EQ(header_of(bytes).required_features, kFeatureSeveralTargets);
  CHECK_EQ(std::string(header_of(bytes).target), "x86-64-v3");
  const auto binary = open(bytes);
  CHECK_OK(binary);
  CHECK_EQ((*binary)->target(), several);
  CHECK(target_names((*binary)->target()) ==
        (std::vector<std::string_view>{"x86-64-v3", "x86-64-v4", "aarch64"}));
  CHECK((*binary)->graph("one")->blob.text() == std::string(70000, 'b'));
  CHECK_OK((*binary)->verify_data());
}

TEST(context_targets, one_is_written_without_the_feature_of_several) {
  std::string bytes = binary_for("x86-64-v3").value();
  CHECK_EQ(header_of(bytes).required_features, 0u);
  CHECK_EQ(header_of(bytes).header_size, sizeof(ContextHeader));
  CHECK(target_names("x86-64-v3") == std::vector<std::string_view>{"x86-64-v3"});
}

TEST(context_targets, as_many_as_fit_are_written) {
  std::string names =
      std::string(63, 'a') + ";" + std::string(63, 'b') + ";" + std::string(63, 'c');
  CHECK_EQ(open(binary_for(names).value()).value()->target(), names);
  CHECK_CODE(binary_for(names + "c"), Code::kInvalidArgument);
  CHECK_CODE(binary_for(std::string(64, 'a') + ";b"), Code::kInvalidArgument);
}

TEST(context_features, each_that_no_reader_has_is_refused_by_name) {
  for (const ContextFeature& feature : kContextFeatures) {
    if (feature.is_known) continue;
    check_refused(plain_binary(), std::string(feature.name).c_str(), [&](std::string& bytes) {
      header_of(bytes).required_features = uint64_t{1} << feature.bit;
    });
  }
  check_refused(plain_binary(), "'encryption', feature 40, which ortc", [](std::string& bytes) {
    header_of(bytes).required_features = uint64_t{1} << 40 | uint64_t{1} << 3;
  });
}

TEST(context_versions, a_later_minor_version_may_be_longer_everywhere) {
  std::string bytes = plain_binary();
  header_of(bytes).minor = 9;
  header_of(bytes).header_size = 400;
  graph_of(bytes, 0).reserved = 77;
  tensor_of(bytes, 1).reserved = 78;
  fuzz::seal_context(bytes);
  const auto binary = open(bytes);
  CHECK_OK(binary);
  CHECK_EQ((*binary)->header().minor, 9);
  CHECK((*binary)->graph("two")->blob.text() == std::string(70000, 'b'));
}

TEST(context_versions, another_major_version_says_who_wrote_it) {
  check_refused(plain_binary(), "format 2.0 written by ortc 1.",
                [](std::string& bytes) { header_of(bytes).major = 2; });
}

TEST(context_versions, the_format_before_1_0_asks_to_compile_again) {
  std::string bytes = plain_binary();
  bytes.replace(0, 8, "ortcctx\n");
  const auto binary = open(bytes);
  CHECK_CODE(binary, Code::kInvalidGraph);
  CHECK(binary.status().message().find("compile the model again") != std::string::npos);
}

TEST(context_versions, converted_line_ends_are_called_that) {
  std::string bytes = plain_binary();
  bytes.erase(bytes.find('\r'), 1);
  CHECK(open(bytes).status().message().find("transferred as text") != std::string::npos);
}

TEST(context_wounds, a_damaged_header_or_table_is_refused) {
  const std::string whole = plain_binary();
  check_refused(whole, "contradicts itself", [](std::string& b) { header_of(b).header_size = 8; });
  check_refused(whole, "contradicts itself",
                [](std::string& b) { header_of(b).kernels_size = 5000; });
  check_refused(whole, "contradicts itself",
                [](std::string& b) { header_of(b).kernels_offset = 8; });
  check_refused(whole, "fingerprint", [](std::string& b) { header_of(b).fingerprint.low ^= 1; });
  check_refused(whole, "metadata lie outside",
                [](std::string& b) { header_of(b).metadata_offset = ~uint64_t{63}; });
  check_refused(whole, "counts", [](std::string& b) { ++header_of(b).graph_count; });
  check_refused(whole, "head of its metadata", [](std::string& b) { metadata_of(b).size = 8; });
  check_refused(whole, "graph table", [](std::string& b) { metadata_of(b).graphs.stride = 8; });
  check_refused(whole, "tensor table",
                [](std::string& b) { metadata_of(b).tensors.count = UINT32_MAX; });
}

TEST(context_wounds, a_damaged_graph_record_is_refused) {
  const std::string whole = plain_binary();
  check_refused(whole, "its name", [](std::string& b) { graph_of(b, 0).name_size = 9999; });
  check_refused(whole, "its tensors", [](std::string& b) { graph_of(b, 0).tensors_count = 9; });
  check_refused(whole, "its plan", [](std::string& b) { graph_of(b, 0).plan_offset = 8; });
  check_refused(whole, "tensor 2 of 2", [](std::string& b) { graph_of(b, 1).blob = 2; });
  check_refused(whole, "sorted by name",
                [](std::string& b) { graph_of(b, 1).name_begin = graph_of(b, 0).name_begin; });
}

TEST(context_wounds, a_damaged_tensor_record_is_refused) {
  const std::string whole = plain_binary();
  check_refused(whole, "outside the file", [](std::string& b) { tensor_of(b, 0).offset += 1; });
  check_refused(whole, "outside the file",
                [](std::string& b) { tensor_of(b, 0).stored_size = UINT64_MAX; });
  check_refused(whole, "should give", [](std::string& b) { tensor_of(b, 0).size -= 1; });
  check_refused(whole, "codec is 2", [](std::string& b) { tensor_of(b, 0).codec = 2; });
  check_refused(whole, "does not require 'zstd'",
                [](std::string& b) { tensor_of(b, 0).codec = 1; });
}

TEST(context_wounds, a_frame_that_contradicts_its_record_is_refused) {
  const std::string whole = binary_of(3, letters(5000, 'a'), letters(70000, 'b'));
  check_refused(whole, "cannot give",
                [](std::string& b) { tensor_of(b, 0).size = uint64_t{1} << 60; });
  check_refused(whole, "share their bytes", [](std::string& b) {
    tensor_of(b, 0).offset = tensor_of(b, 1).offset = 0;
    tensor_of(b, 0).stored_size = tensor_of(b, 1).stored_size = b.size();
  });
  const auto graph_of_wounded = [&](const std::function<void(std::string&)>& wound) {
    std::string bytes = whole;
    wound(bytes);
    fuzz::seal_context(bytes);
    const auto binary = open(bytes);
    CHECK_OK(binary);
    CHECK_OK((*binary)->graph("two"));
    CHECK_CODE((*binary)->verify_data(), Code::kInvalidGraph);
    return (*binary)->graph("one").status();
  };
  const auto says = [](const Status& status, const char* part) {
    CHECK_CODE(status, Code::kInvalidGraph);
    CHECK(status.message().find(part) != std::string::npos);
  };
  says(graph_of_wounded([](std::string& b) { tensor_of(b, 0).size = 4999; }),
       "tensor 0 at offset 8192: zstd: expected a frame that holds 4999 bytes, found one that says "
       "5000");
  says(graph_of_wounded([](std::string& b) { tensor_of(b, 0).size = 5001; }), "tensor 0");
  says(graph_of_wounded([](std::string& b) { tensor_of(b, 0).hash.high ^= 1; }), "is damaged");
  says(graph_of_wounded([](std::string& b) { b[tensor_of(b, 0).offset] ^= 1; }), "zstd");
}

// A graph with two tensors, decoded as part of somebody's work.
Result<ContextView::Graph> decode_graph(std::string bytes, ThreadPool* pool, Work work) {
  fuzz::seal_context(bytes);
  const auto binary = ContextBinary::open(Blob::copy_of(as_bytes(bytes)), "'test'");
  CHECK_OK(binary);
  FrameDecoding decoding{pool, std::move(work)};
  return (*binary)->graph("plan", decoding);
}

std::string binary_with_a_plan() {
  ContextBinaryWriter::Options options;
  options.embed = true;
  options.provider = "TestProvider";
  options.zstd_level = 3;
  ContextBinaryWriter writer(options);
  PlanBuilder builder;
  builder.add_body();
  PlanImage plan = builder.finish().value();
  for (int i = 0; i < 20; ++i) {
    std::vector<float> numbers(1000, static_cast<float>(i));
    plan.tensors.push_back(Tensor::from<float>({1000}, numbers));
  }
  CHECK_OK(writer.add_plan("plan", plan));
  const auto bytes = writer.cache_context();
  CHECK_OK(bytes);
  writer.set_generation({7, 8});
  return std::string(bytes->text());
}

TEST(context_frames, are_decoded_by_several_threads_and_each_is_its_own) {
  const std::string bytes = binary_with_a_plan();
  ThreadPool pool({.thread_count = 3});
  for (ThreadPool* threads : {&pool, static_cast<ThreadPool*>(nullptr)}) {
    const auto graph = decode_graph(bytes, threads, {});
    CHECK_OK(graph);
    CHECK_EQ(graph->tensors.size(), 20u);
    for (size_t i = 0; i < 20; ++i) {
      const std::vector<float> numbers(1000, static_cast<float>(i));
      CHECK(graph->tensors[i].text() == as_text(std::as_bytes(std::span(numbers))));
    }
  }
}

TEST(context_frames, one_that_claims_more_is_refused_before_any_is_decoded) {
  std::string bytes = binary_with_a_plan();
  tensor_of(bytes, 19).size = 4004;
  bool has_begun = false;
  const auto graph = decode_graph(bytes, nullptr, Work(nullptr, [&] {
                                    has_begun = true;
                                    return Status::ok();
                                  }));
  CHECK_CODE(graph, Code::kInvalidGraph);
  CHECK(graph.status().message().find("holds 4004 bytes, found one that says 4000") !=
        std::string::npos);
  CHECK(!has_begun);
}

TEST(context_frames, decoding_is_told_and_can_be_stopped_between_two) {
  int asked = 0;
  const auto counted = decode_graph(binary_with_a_plan(), nullptr, Work(nullptr, [&] {
                                      ++asked;
                                      return Status::ok();
                                    }));
  CHECK_OK(counted);
  CHECK(asked >= 20);
  asked = 0;
  const auto stopped =
      decode_graph(binary_with_a_plan(), nullptr,
                   Work(nullptr, [&] { return ++asked == 5 ? fail("stopped") : Status::ok(); }));
  CHECK_CODE(stopped, Code::kFail);
  CHECK_EQ(stopped.status().message(), "stopped");
}

// A sibling session is made by the callback itself, and one by a thread whose lock it takes.
TEST(context_frames, others_may_read_the_binary_while_the_program_is_told) {
  const auto binary = open(binary_with_a_plan());
  CHECK_OK(binary);
  std::mutex of_program;
  std::thread sibling;
  const auto tell = [&](double) {
    CHECK_OK((*binary)->graph("plan"));
    if (!sibling.joinable()) {
      std::promise<void> has_begun;
      sibling = std::thread([&] {
        const std::lock_guard lock(of_program);
        has_begun.set_value();
        CHECK_OK((*binary)->graph("plan"));
      });
      has_begun.get_future().wait();
    }
    const std::lock_guard lock(of_program);
    return Status::ok();
  };
  FrameDecoding decoding{nullptr, Work(tell, nullptr)};
  CHECK_OK((*binary)->graph("plan", decoding));
  sibling.join();
}

TEST(context_frames, several_that_read_at_once_get_the_same_memory) {
  const auto binary = open(binary_with_a_plan());
  CHECK_OK(binary);
  std::vector<ContextView::Graph> graphs(4);
  std::vector<std::thread> readers;
  for (auto& graph : graphs) {
    readers.emplace_back([&] { graph = std::move((*binary)->graph("plan")).value(); });
  }
  for (std::thread& reader : readers) reader.join();
  for (const auto& graph : graphs) {
    for (size_t i = 0; i < 20; ++i) CHECK(graph.tensors[i].data() == graphs[0].tensors[i].data());
  }
}

TEST(context_wounds, every_truncation_is_refused) {
  const std::string whole = plain_binary();
  for (size_t size = 0; size < whole.size(); size += size < 9000 ? 97 : 7001) {
    CHECK_CODE(open(whole.substr(0, size)), Code::kInvalidGraph);
  }
}
