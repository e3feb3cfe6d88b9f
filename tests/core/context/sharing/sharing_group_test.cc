// SPDX-License-Identifier: MIT
// Models that share one context binary: what stands when, what cannot be a member, what a failure
// leaves.
#include <filesystem>
#include <future>
#include <thread>

#include "tests/core/context/sharing/sharing_testing.h"
#include "tests/support/processes.h"

using namespace ortc;
using namespace ortc::test;
namespace fs = std::filesystem;

TEST(sharing, n_models_make_n_and_one_files_that_appear_with_the_last) {
  const std::string sources = next_folder(), folder = next_folder();
  const Compile compile;
  for (int i = 0; i < 3; ++i) {
    CHECK_OK(compile.add(put_network(sources, i), output_of(folder, i), i == 2));
    if (i < 2) CHECK(names_in(folder).empty());
  }
  CHECK(names_in(folder) == (Names{"m0_aot.bin", "m0_ctx.onnx", "m1_ctx.onnx", "m2_ctx.onnx"}));
  CHECK(size_of(folder + "/m0_aot.bin") < kSharedWidth * kSharedWidth * 4 + 32 * 1024);
  for (int i = 0; i < 3; ++i) check_numbers(sources, folder, i);
}

// One export gives a part other names than the next.
TEST(sharing, equal_parts_with_other_names_are_two_graphs_over_the_same_weights) {
  const std::string sources = next_folder(), folder = next_folder();
  const Compile compile;
  for (int i = 0; i < 2; ++i) {
    GraphBuilder g;
    const auto w = g.random_floats(str_cat("w", i), {kSharedWidth, kSharedWidth}, 5);
    const auto x = g.input("x", DType::kFloat32, {-1, kSharedWidth});
    g.output(g.node("MatMul", {x, w}, {str_cat("out", i)})[0]);
    g.infer();
    write_whole_file(str_cat(sources, "/m", i, ".onnx"), g.model_bytes());
    CHECK_OK(compile.add(str_cat(sources, "/m", i, ".onnx"), output_of(folder, i), i == 1));
  }
  CHECK(size_of(folder + "/m0_aot.bin") < kSharedWidth * kSharedWidth * 4 + 32 * 1024);
  for (int i = 0; i < 2; ++i) check_numbers(sources, folder, i);
}

TEST(sharing, more_models_than_a_set_has_files_are_refused_before_they_are_compiled) {
  const std::string source = put_network(next_folder(), 0), folder = next_folder();
  const Compile compile;
  for (int i = 0; i < 255; ++i) CHECK_OK(compile.add(source, output_of(folder, i)));
  const Status more = compile.add(source, output_of(folder, 255), true);
  CHECK_CODE(more, Code::kInvalidArgument);
  CHECK(more.message().find("at most 256") != std::string::npos);
}

TEST(sharing, a_group_that_is_never_stopped_leaves_nothing) {
  const std::string sources = next_folder(), folder = next_folder();
  {
    const Compile compile;
    CHECK_OK(compile.add(put_network(sources, 0), output_of(folder, 0)));
    CHECK_OK(compile.add(put_network(sources, 1), output_of(folder, 1)));
  }
  CHECK(names_in(folder).empty());
}

TEST(sharing, the_next_model_after_the_last_is_the_first_of_another_group) {
  const std::string sources = next_folder(), folder = next_folder();
  const Compile compile;
  for (int i = 0; i < 4; ++i) {
    CHECK_OK(compile.add(put_network(sources, i), output_of(folder, i), i % 2 == 1));
  }
  CHECK(names_in(folder) == (Names{"m0_aot.bin", "m0_ctx.onnx", "m1_ctx.onnx", "m2_aot.bin",
                                   "m2_ctx.onnx", "m3_ctx.onnx"}));
}

TEST(sharing, two_groups_at_once_have_handles_of_their_own) {
  const std::string sources = next_folder(), folder = next_folder();
  Compile one, two;
  two.environment = one.environment;
  one.group = std::make_shared<SharingGroup>();
  two.group = std::make_shared<SharingGroup>();
  CHECK_OK(one.add(put_network(sources, 0), output_of(folder, 0)));
  CHECK_OK(two.add(put_network(sources, 1), output_of(folder, 1)));
  CHECK_OK(one.add(put_network(sources, 2), output_of(folder, 2)));
  CHECK_OK(two.add(put_network(sources, 3), output_of(folder, 3)));
  Work work;
  CompileReport report;
  CHECK_OK(two.group->commit(work, report));
  CHECK(names_in(folder) == (Names{"m1_aot.bin", "m1_ctx.onnx", "m3_ctx.onnx"}));
  CHECK_EQ(report.files.size(), 3u);
  CHECK_OK(one.group->commit(work, report));
  CHECK_EQ(names_in(folder).size(), 6u);
  for (int i = 0; i < 4; ++i) check_numbers(sources, folder, i);
  CHECK_CODE(one.group->commit(work, report), Code::kFail);
  CHECK_CODE(one.add(put_network(sources, 4), output_of(folder, 4)), Code::kFail);
}

TEST(sharing, what_cannot_be_a_member_is_refused_and_the_group_stays) {
  const std::string sources = next_folder(), folder = next_folder(), other = next_folder();
  Compile compile;
  CHECK_OK(compile.add(put_network(sources, 0), output_of(folder, 0)));

  const Status elsewhere = compile.add(put_network(sources, 1), output_of(other, 1));
  CHECK_CODE(elsewhere, Code::kInvalidArgument);
  CHECK(elsewhere.message().find(folder) != std::string::npos);
  CHECK(elsewhere.message().find(other) != std::string::npos);

  CHECK_CODE(compile.add(put_network(sources, 1), output_of(folder, 0)), Code::kInvalidArgument);

  CompileOptions embedded = compile.options(put_network(sources, 1), output_of(folder, 1), false);
  embedded.embed = true;
  CHECK_CODE(compile_to_output(compile.environment, embedded), Code::kInvalidArgument);

  // What the program gets when the call returns.
  CompileOptions handed = compile.options(put_network(sources, 1), output_of(folder, 1), false);
  handed.program.initializers.choose = [](const std::string&, const Tensor&,
                                          const ExternalLocation*) {
    return Result<std::optional<ExternalLocation>>(std::nullopt);
  };
  handed.program.initializers.all_chosen = [] { return Status::ok(); };
  CHECK_CODE(compile_to_output(compile.environment, handed), Code::kInvalidArgument);

  CHECK_OK(compile.add(put_network(sources, 1), output_of(folder, 1), true));
  CHECK_EQ(names_in(folder).size(), 3u);
  check_numbers(sources, folder, 1);
}

TEST(sharing, a_member_for_another_target_fails_the_group) {
  const std::string sources = next_folder(), folder = next_folder();
  Compile compile;
  CHECK_OK(compile.add(put_network(sources, 0), output_of(folder, 0)));
  compile.config = {{"ep.aot.target", "x86-64-v2"}};
  const Status status = compile.add(put_network(sources, 1), output_of(folder, 1));
  CHECK_CODE(status, Code::kInvalidArgument);
  CHECK(status.message().find("x86-64-v2") != std::string::npos);
  // All or nothing: the last one is told what happened, and the group is over.
  compile.config = {};
  const Status last = compile.add(put_network(sources, 2), output_of(folder, 2), true);
  CHECK_CODE(last, Code::kInvalidArgument);
  CHECK(last.message().find("given up") != std::string::npos);
  CHECK(names_in(folder).empty());
  CHECK_OK(compile.add(put_network(sources, 2), output_of(folder, 2), true));
  CHECK_EQ(names_in(folder).size(), 2u);
}

TEST(sharing, a_failed_member_leaves_the_set_that_was_there) {
  const std::string sources = next_folder(), folder = next_folder();
  const Compile compile;
  for (int i = 0; i < 2; ++i) {
    CHECK_OK(compile.add(put_network(sources, i), output_of(folder, i), i == 1));
  }
  const std::string before = read_whole_file(folder + "/m0_aot.bin");
  CHECK_OK(compile.add(put_network(sources, 0), output_of(folder, 0)));
  write_whole_file(sources + "/broken.onnx", "\x08\x09garbage");
  CHECK(!compile.add(sources + "/broken.onnx", folder + "/broken_ctx.onnx").is_ok());
  CHECK(!compile.add(put_network(sources, 1), output_of(folder, 1), true).is_ok());
  CHECK_EQ(read_whole_file(folder + "/m0_aot.bin"), before);
  CHECK_EQ(names_in(folder).size(), 3u);
  for (int i = 0; i < 2; ++i) check_numbers(sources, folder, i);
}

// Else it would wait for the next group, and come up in it.
TEST(sharing, a_last_model_that_does_not_exist_ends_the_group) {
  const std::string sources = next_folder(), folder = next_folder();
  const Compile compile;
  CHECK_OK(compile.add(put_network(sources, 0), output_of(folder, 0)));
  const Status missing = compile.add(sources + "/none.onnx", output_of(folder, 1), true);
  CHECK_CODE(missing, Code::kInvalidArgument);
  CHECK(missing.message().find("none.onnx") != std::string::npos);
  CHECK_OK(compile.add(put_network(sources, 2), output_of(folder, 2), true));
  CHECK(names_in(folder) == (Names{"m2_aot.bin", "m2_ctx.onnx"}));
}

TEST(sharing, a_member_whose_source_is_replaced_while_it_is_read_is_read_again) {
  const std::string sources = next_folder(), folder = next_folder();
  Compile compile;
  compile.config = {{"ep.context_model_external_initializers_file_name", "w0.bin"}};
  CHECK_OK(compile.add(put_network(sources, 0), output_of(folder, 0)));
  compile.config = {{"ep.context_model_external_initializers_file_name", "w1.bin"}};
  const std::string source = put_network(sources, 1);
  int compiles = 0;
  MakingLimits limits;
  limits.progress = [&](std::string_view stage, std::string_view, double) {
    if (stage == "optimise" && ++compiles == 1) {
      fs::copy(source, source + ".new");
      fs::rename(source + ".new", source);
    }
    return Status::ok();
  };
  CHECK_OK(compile.add(source, output_of(folder, 1), true, limits));
  CHECK(compiles >= 2);
  for (int i = 0; i < 2; ++i) check_numbers(sources, folder, i);
}

TEST(sharing, generating_a_group_again_replaces_all_of_it) {
  const std::string sources = next_folder(), folder = next_folder();
  const Compile compile;
  for (const int count : {3, 3}) {
    for (int i = 0; i < count; ++i) {
      CHECK_OK(compile.add(put_network(sources, i), output_of(folder, i), i + 1 == count));
    }
  }
  CHECK_EQ(names_in(folder).size(), 4u);
  // A smaller group would leave a model of the old one without its binary.
  CHECK_OK(compile.add(put_network(sources, 0), output_of(folder, 0)));
  const Status smaller = compile.add(put_network(sources, 1), output_of(folder, 1), true);
  CHECK_CODE(smaller, Code::kFail);
  CHECK(smaller.message().find("m2_ctx.onnx") != std::string::npos);
  for (int i = 0; i < 3; ++i) check_numbers(sources, folder, i);
}

TEST(sharing, bytes_follow_the_order_of_joining_and_not_of_threads) {
  constexpr int kCount = 8;
  const std::string sources = next_folder();
  const std::string sequential = next_folder(), parallel = next_folder();
  const Compile compile;
  for (int i = 0; i < kCount; ++i) {
    CHECK_OK(compile.add(put_network(sources, i), output_of(sequential, i), i + 1 == kCount));
  }
  std::vector<std::thread> threads;
  std::vector<Status> results(kCount);
  for (int i = 0; i < kCount; ++i) {
    std::promise<void> joined;
    bool is_told = false;
    MakingLimits limits;
    limits.progress = [&, is_told](std::string_view, std::string_view, double) mutable {
      if (!std::exchange(is_told, true)) joined.set_value();
      return Status::ok();
    };
    threads.emplace_back([&, i, limits] {
      const CompileOptions options = compile.options(str_cat(sources, "/m", i, ".onnx"),
                                                     output_of(parallel, i), i + 1 == kCount);
      results[i] = compile_to_output(compile.environment, options, limits).status();
    });
    joined.get_future().wait();
  }
  for (std::thread& thread : threads) thread.join();
  for (const Status& status : results) CHECK_OK(status);
  CHECK(names_in(sequential) == names_in(parallel));
  for (const std::string& name : names_in(sequential)) {
    CHECK(read_whole_file(path_join(sequential, name)) ==
          read_whole_file(path_join(parallel, name)));
  }
}

TEST(sharing, an_end_at_any_operation_leaves_the_old_set_or_the_new_one) {
  const std::string sources = next_folder();
  for (int i = 0; i < 2; ++i) put_network(sources, i);
  const auto make = [&](const std::string& folder, int first_variant) {
    const Compile compile;
    const std::string a = str_cat(sources, "/m", first_variant, ".onnx");
    const std::string b = str_cat(sources, "/m", 1 - first_variant, ".onnx");
    CHECK_OK(compile.add(a, folder + "/a_ctx.onnx"));
    CHECK_OK(compile.add(b, folder + "/b_ctx.onnx", true));
  };
  // Which variant a model is shows in what it computes.
  const Tensor x = Tensor::from<float>({1, kSharedWidth}, random_numbers(kSharedWidth, 3));
  const auto answer = [&](const std::string& path) {
    const auto environment = quiet_environment();
    const auto session =
        Session::create(environment, file_source(path), options_with(*environment, {"AOT"}));
    CHECK_OK(session);
    return run_all(**session, {x});
  };
  const auto zero = answer(sources + "/m0.onnx"), one = answer(sources + "/m1.onnx");
  int ends = 0;
  for (int n = 1;; ++n, ++ends) {
    const std::string folder = next_folder();
    make(folder, 0);
    const bool ended = dies_at_operation(n, [&] { make(folder, 1); });
    const bool is_new = same_bits(answer(folder + "/a_ctx.onnx"), one);
    CHECK(is_new || same_bits(answer(folder + "/a_ctx.onnx"), zero));
    CHECK(same_bits(answer(folder + "/b_ctx.onnx"), is_new ? zero : one));
    if (!ended) {
      CHECK(is_new);
      break;
    }
    make(folder, 1);
    CHECK(names_in(folder) == (Names{"a_aot.bin", "a_ctx.onnx", "b_ctx.onnx"}));
    CHECK(same_bits(answer(folder + "/a_ctx.onnx"), one));
    fs::remove_all(folder);
  }
  CHECK(ends > 15);
}
