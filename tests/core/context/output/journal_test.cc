// SPDX-License-Identifier: MIT
// Journals as untrusted bytes: what is taken, what is refused, and what readers and transactions
// make of a damaged one.
#include "core/context/output/journal.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "core/context/output/journal_view.h"
#include "core/context/output/transaction.h"
#include "core/platform/file_map.h"
#include "core/platform/path.h"
#include "tests/core/platform/platform_files.h"

namespace fs = std::filesystem;
using namespace ortc;
using namespace ortc::test;

namespace {

const std::string kDigits = "0123456789abcdef";
constexpr const char* kJournalName = ".m.onnx.ortc-journal";

std::string staged(const std::string& name) { return str_cat(".", name, ".", kDigits, ".tmp"); }

Journal sample() {
  return {.generation = "g1",
          .entries = {{staged("m.bin"), "m.bin"}, {staged("m.onnx"), "m.onnx"}}};
}

std::string encoded(const Journal& journal) {
  auto text = encode_journal(journal);
  CHECK_OK(text);
  return *text;
}

std::string little(uint64_t value, int size) {
  std::string text;
  for (int i = 0; i < size; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

// With the checksum that belongs to `text`.
std::string sealed(const std::string& text) {
  const Hash128 hash = hash128(as_bytes(text));
  return text + little(hash.low, 8) + little(hash.high, 8);
}

std::string body_of(const Journal& journal) {
  const std::string text = encoded(journal);
  return text.substr(0, text.size() - 16);
}

Code code_of_text(const std::string& text, const std::string& name = kJournalName) {
  return parse_journal(as_bytes(text), name).status().code();
}

Code code_of_entries(std::vector<JournalEntry> entries) {
  return code_of_text(encoded({.generation = "g", .entries = std::move(entries)}));
}

// A folder with an old set under the final names and a new one under the staged names.
std::string folder_with_two_sets(const std::string& name) {
  const std::string folder = fresh_folder(name);
  for (const char* file : {"m.bin", "m.onnx"}) {
    put_file(folder + "/" + file, "old");
    put_file(folder + "/" + staged(file), "new");
  }
  return folder;
}

JournalView view_of(const std::string& folder) {
  auto view = JournalView::open(folder + "/m.onnx");
  CHECK_OK(view);
  return std::move(view).value();
}

void begin_and_end(const std::string& folder) {
  CHECK_OK(FileTransaction::begin(folder, "other.onnx"));
}

void check_final(const std::string& folder, const std::string& text) {
  CHECK_EQ(get_file(folder + "/m.bin"), text);
  CHECK_EQ(get_file(folder + "/m.onnx"), text);
  CHECK_EQ(entry_count(folder), 2u);
}

}  // namespace

TEST(journal, survives_a_round_trip) {
  const auto journal = parse_journal(as_bytes(encoded(sample())), kJournalName);
  CHECK_OK(journal);
  CHECK_EQ(journal->generation, "g1");
  CHECK(journal->entries == sample().entries);
}

TEST(journal, is_little_endian_with_its_version_first) {
  CHECK(encoded(sample()).starts_with("ORTCJRNL" + little(1, 4) + little(2, 4) + little(1, 4) +
                                      little(2, 4) + "g1" + little(27, 4) + staged("m.bin")));
}

TEST(journal, is_refused_at_every_truncation) {
  const std::string text = encoded(sample());
  const std::string body = body_of(sample());
  for (size_t size = 0; size < text.size(); ++size) {
    CHECK_EQ(code_of_text(text.substr(0, size)), Code::kInvalidGraph);
  }
  for (size_t size = 0; size < body.size(); ++size) {
    CHECK_EQ(code_of_text(sealed(body.substr(0, size))), Code::kInvalidGraph);
  }
  CHECK_EQ(code_of_text(text + "x"), Code::kInvalidGraph);
  CHECK_EQ(code_of_text(sealed(body + "x")), Code::kInvalidGraph);
  CHECK_EQ(code_of_text(sealed(body)), Code::kOk);
}

TEST(journal, is_refused_with_any_wrong_bit) {
  const std::string text = encoded(sample());
  for (size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string wrong = text;
    wrong[bit / 8] = static_cast<char>(wrong[bit / 8] ^ (1 << (bit % 8)));
    CHECK_EQ(code_of_text(wrong), Code::kInvalidGraph);
  }
}

TEST(journal, is_refused_with_sizes_beyond_its_end) {
  const std::string body = body_of(sample());
  for (const size_t offset : {size_t{12}, size_t{20}, size_t{26}}) {
    for (const uint64_t value : {uint64_t{0}, uint64_t{257}, uint64_t{1000}, uint64_t{UINT32_MAX},
                                 uint64_t{UINT32_MAX} - 20}) {
      std::string wrong = body;
      wrong.replace(offset, 4, little(value, 4));
      CHECK_EQ(code_of_text(sealed(wrong)), Code::kInvalidGraph);
    }
  }
}

TEST(journal, takes_names_that_stay_beneath_the_folder_only) {
  const JournalEntry model{staged("m.onnx"), "m.onnx"};
  CHECK_EQ(code_of_entries({model}), Code::kOk);
  for (const std::string name : {"a/b", "a/b/c.bin"}) {
    CHECK_EQ(code_of_entries({{staged(path_file_name(name)), name}, model}), Code::kOk);
  }
  for (const std::string name : {"", ".", "..", "../m", "/etc/passwd", "a\\b", "m\n/", "a//b",
                                 "a/../b", "a/./b", "a/..", ".m.ortc-journal/b"}) {
    CHECK_EQ(code_of_entries({{staged(name), name}, model}), Code::kInvalidGraph);
  }
  const std::string zero("a\0b", 3);
  CHECK_EQ(code_of_entries({{staged(zero), zero}, model}), Code::kInvalidGraph);
  const std::string longer(256, 'n');
  CHECK_EQ(code_of_entries({{staged(longer.substr(0, 233)), longer}, model}), Code::kInvalidGraph);
  CHECK_EQ(code_of_entries({{staged(kJournalName), kJournalName}, model}), Code::kInvalidGraph);
  CHECK_EQ(code_of_entries({{staged(staged("x")), staged("x")}, model}), Code::kInvalidGraph);
}

TEST(journal, calls_what_is_wrong_with_a_path_by_its_name) {
  CHECK(has_text(std::string(fault_of_final_path("../b")), "leads out"));
  CHECK(has_text(std::string(fault_of_final_path("a/../../b")), "leads out"));
  CHECK(has_text(std::string(fault_of_final_path("./../b")), "leads out"));
  CHECK(has_text(std::string(fault_of_final_path("a/../b")), "the component \"..\""));
  CHECK(has_text(std::string(fault_of_final_path("./b")), "the component \".\""));
  CHECK(has_text(std::string(fault_of_final_path("a/.")), "the name of a folder"));
  CHECK(fault_of_final_path("a/b.c").empty());
}

TEST(journal, takes_staged_names_of_their_files_only) {
  const JournalEntry model{staged("m.onnx"), "m.onnx"};
  const std::vector<std::string> wrong = {"",
                                          "m.bin",
                                          "../" + staged("m.bin"),
                                          staged("other"),
                                          staged("m.bin") + "x",
                                          ".m.bin." + kDigits.substr(1) + ".tmp",
                                          ".m.bin.0123456789ABCDEF.tmp",
                                          "m.bin." + kDigits + ".tmp",
                                          ".m.bin" + kDigits + ".tmp",
                                          "." + kDigits + ".tmp"};
  for (const std::string& name : wrong) {
    CHECK_EQ(code_of_entries({{name, "m.bin"}, model}), Code::kInvalidGraph);
  }
  // A long name is cut off in its staged name.
  const std::string name(250, 'n');
  CHECK_EQ(code_of_entries({{staged(name.substr(0, 233)), name}, model}), Code::kOk);
  CHECK_EQ(code_of_entries({{staged(name.substr(0, 230)), name}, model}), Code::kOk);
  CHECK_EQ(code_of_entries({{staged(name.substr(0, 229)), name}, model}), Code::kInvalidGraph);
  CHECK_EQ(code_of_entries({{staged(name.substr(0, 234)), name}, model}), Code::kInvalidGraph);
}

TEST(journal, takes_no_name_twice) {
  const JournalEntry model{staged("m.onnx"), "m.onnx"};
  const std::string other = ".m.onnx.1123456789abcdef.tmp";
  CHECK_EQ(code_of_entries({model, model}), Code::kInvalidGraph);
  CHECK_EQ(code_of_entries({{other, "m.onnx"}, model}), Code::kInvalidGraph);
  // A file cannot be the folder of another.
  CHECK_EQ(code_of_entries({{staged("a"), "a"}, {staged("b"), "a/b"}, model}), Code::kInvalidGraph);
  CHECK_EQ(code_of_entries({{staged("b"), "a/b"}, {staged("a"), "a"}, model}), Code::kInvalidGraph);
  const std::string cut = staged(std::string(233, 'n'));
  CHECK_EQ(code_of_entries({{cut, std::string(240, 'n')}, {cut, std::string(241, 'n')}, model}),
           Code::kInvalidGraph);
}

TEST(journal, belongs_to_its_last_file) {
  CHECK_EQ(code_of_text(encoded(sample()), ".m.bin.ortc-journal"), Code::kInvalidGraph);
  CHECK_EQ(code_of_text(encoded(sample()), ".x.ortc-journal"), Code::kInvalidGraph);
}

TEST(journal, has_limits) {
  Journal journal = sample();
  journal.entries.clear();
  CHECK_CODE(encode_journal(journal), Code::kInvalidArgument);
  for (int i = 0; i < 257; ++i) journal.entries.push_back({staged(str_cat(i)), str_cat(i)});
  CHECK_CODE(encode_journal(journal), Code::kInvalidArgument);
  journal.entries.pop_back();
  const std::string name = journal_name_of("255");
  CHECK_EQ(code_of_text(encoded(journal), name), Code::kOk);
  std::string body = body_of(journal) + little(26, 4) + staged("last") + little(4, 4) + "last";
  body.replace(12, 4, little(257, 4));
  CHECK_EQ(code_of_text(sealed(body), journal_name_of("last")), Code::kInvalidGraph);
  journal.generation.resize(kJournalSizeLimit);
  CHECK_CODE(encode_journal(journal), Code::kInvalidArgument);
}

TEST(journal, a_mark_leads_to_the_journal_of_its_set) {
  const std::string mark = encode_mark({"b.onnx", "a.onnx"});
  const std::string name = journal_name_of("b.onnx");
  const auto parsed = parse_mark(as_bytes(mark), name);
  CHECK_OK(parsed);
  CHECK_EQ(parsed->name, "b.onnx");
  CHECK_EQ(parsed->first, "a.onnx");
  CHECK_CODE(parse_mark(as_bytes(mark), journal_name_of("c.onnx")), Code::kInvalidGraph);
  CHECK_CODE(parse_mark(as_bytes(encode_mark({"b.onnx", "../a.onnx"})), name), Code::kInvalidGraph);
  for (size_t size = 0; size < mark.size(); ++size) {
    CHECK_CODE(parse_mark(as_bytes(mark.substr(0, size)), name), Code::kInvalidGraph);
  }
  for (size_t bit = 0; bit < mark.size() * 8; ++bit) {
    std::string wrong = mark;
    wrong[bit / 8] = static_cast<char>(wrong[bit / 8] ^ (1 << (bit % 8)));
    CHECK_CODE(parse_mark(as_bytes(wrong), name), Code::kInvalidGraph);
  }

  const std::string folder = fresh_folder("mark");
  put_file(folder + "/" + name, mark);
  const auto alone = read_journal_of(folder, "b.onnx");
  CHECK_OK(alone);
  CHECK(!alone->has_value());
  Journal journal;
  journal.entries = {{staged("b.onnx"), "b.onnx"}, {staged("a.onnx"), "a.onnx"}};
  put_file(folder + "/" + journal_name_of("a.onnx"), encoded(journal));
  const auto found = read_journal_of(folder, "b.onnx");
  CHECK_OK(found);
  CHECK(found->has_value());
  CHECK_EQ((*found)->journal.entries.size(), 2u);
  // A journal that knows nothing of the file is another set's.
  journal.entries = {{staged("a.onnx"), "a.onnx"}};
  put_file(folder + "/" + journal_name_of("a.onnx"), encoded(journal));
  const auto other = read_journal_of(folder, "b.onnx");
  CHECK_OK(other);
  CHECK(!other->has_value());
}

TEST(journal, of_a_newer_version_is_not_taken_for_damage) {
  std::string body = body_of(sample());
  body.replace(8, 4, little(2, 4));
  CHECK_EQ(code_of_text(sealed(body)), Code::kNotImplemented);
  const std::string folder = folder_with_two_sets("newer");
  put_file(folder + "/" + kJournalName, sealed(body));
  CHECK_CODE(JournalView::open(folder + "/m.onnx"), Code::kNotImplemented);
  CHECK_CODE(FileTransaction::begin(folder, "m.onnx"), Code::kNotImplemented);
  CHECK_EQ(entry_count(folder), 5u);
  body.replace(8, 4, little(0, 4));
  CHECK_EQ(code_of_text(sealed(body)), Code::kInvalidGraph);
}

TEST(journal, has_a_name_that_fits) {
  CHECK_EQ(journal_name_of("m.onnx"), kJournalName);
  CHECK(is_journal_name(kJournalName));
  CHECK(!is_journal_name(".ortc-journal") && !is_journal_name("m.ortc-journal"));
  const std::string longest(241, 'n');
  CHECK_EQ(journal_name_of(longest).size(), 255u);
  CHECK_EQ(journal_name_of(longest).substr(1, 241), longest);
  const std::string first = std::string(254, 'n') + "1";
  const std::string second = std::string(254, 'n') + "2";
  CHECK_EQ(journal_name_of(first).size(), 255u);
  CHECK(is_journal_name(journal_name_of(first)));
  CHECK(journal_name_of(first) != journal_name_of(second));
}

TEST(journal_view, reads_through_a_journal) {
  const std::string folder = folder_with_two_sets("through");
  put_file(folder + "/" + kJournalName, encoded(sample()));
  const JournalView view = view_of(folder);
  CHECK(!view.is_empty());
  CHECK_EQ(view.folder(), folder);
  CHECK_EQ(view.current_name("m.onnx"), staged("m.onnx"));
  CHECK_EQ(view.current_name("m.bin"), staged("m.bin"));
  CHECK_EQ(view.current_name("other.bin"), "other.bin");
  CHECK(view.is_unchanged());
  // As a transaction completes it.
  fs::rename(folder + "/" + staged("m.bin"), folder + "/m.bin");
  CHECK_EQ(view.current_name("m.bin"), "m.bin");
  fs::rename(folder + "/" + staged("m.onnx"), folder + "/m.onnx");
  CHECK(view.is_unchanged());
  fs::remove(folder + "/" + kJournalName);
  CHECK(!view.is_unchanged());
  check_final(folder, "new");
}

TEST(journal_view, opens_a_file_that_gets_its_final_name_meanwhile) {
  const std::string folder = folder_with_two_sets("meanwhile");
  put_file(folder + "/" + kJournalName, encoded(sample()));
  const JournalView view = view_of(folder);
  int attempts = 0;
  const auto file = view.open_current("m.bin", [&](const std::string& name) {
    if (++attempts == 1) {
      CHECK_EQ(name, staged("m.bin"));
      fs::rename(folder + "/" + staged("m.bin"), folder + "/m.bin");
    }
    return FileMap::open(folder + "/" + name, Access::kRead);
  });
  CHECK_OK(file);
  CHECK_EQ(attempts, 2);
  CHECK_EQ(as_text((*file)->bytes()), "new");
}

TEST(journal_view, opens_the_new_model_under_its_final_name_and_not_the_one_it_holds) {
  const std::string folder = folder_with_two_sets("held");
  put_file(folder + "/" + kJournalName, encoded(sample()));
  const JournalView view = view_of(folder);  // holds the old model
  for (const bool is_renamed_before : {false, true}) {
    const auto model = view.open_current("m.onnx", [&](const std::string& name) {
      if (!is_renamed_before && name == staged("m.onnx")) {
        fs::rename(folder + "/" + staged("m.onnx"), folder + "/m.onnx");
      }
      return view.open_file(name, Access::kRead);
    });
    CHECK_OK(model);
    CHECK_EQ(as_text((*model)->bytes()), "new");
  }
  CHECK(view.is_unchanged());
}

TEST(journal_view, shows_a_model_that_only_a_journal_knows) {
  const std::string folder = folder_with_two_sets("first");
  fs::remove(folder + "/m.onnx");
  fs::remove(folder + "/m.bin");
  CHECK_EQ(view_of(folder).current_name("m.onnx"), "m.onnx");
  put_file(folder + "/" + kJournalName, encoded(sample()));
  CHECK_EQ(view_of(folder).current_name("m.onnx"), staged("m.onnx"));
  begin_and_end(folder);
  check_final(folder, "new");
}

TEST(journal_view, of_no_file_is_empty) {
  for (const std::string& path : {std::string(), std::string("/"), temp_dir() + "/none/m.onnx",
                                  temp_dir() + "/", std::string(300, 'n')}) {
    const auto view = JournalView::open(path);
    CHECK_OK(view);
    CHECK(view->is_empty() && view->is_unchanged());
    CHECK_EQ(view->current_name("m"), "m");
  }
}

TEST(journal_view, notices_another_model_file) {
  const std::string folder = folder_with_two_sets("another");
  const JournalView view = view_of(folder);
  CHECK(view.is_unchanged());
  fs::rename(folder + "/" + staged("m.onnx"), folder + "/m.onnx");
  CHECK(!view.is_unchanged());
}

TEST(journal_view, ignores_a_damaged_journal_and_a_transaction_removes_it) {
  const std::string text = encoded(sample());
  for (size_t size = 0; size < text.size(); ++size) {
    const std::string folder = folder_with_two_sets("damaged");
    put_file(folder + "/" + kJournalName, text.substr(0, size));
    const JournalView view = view_of(folder);
    CHECK(view.is_empty() && view.is_unchanged());
    CHECK_EQ(view.current_name("m.onnx"), "m.onnx");
    begin_and_end(folder);
    check_final(folder, "old");
  }
}

TEST(journal_view, ignores_what_is_no_regular_small_file) {
  const std::string folder = folder_with_two_sets("irregular");
  const std::string path = folder + "/" + kJournalName;
  put_file(folder + "/elsewhere", encoded(sample()));
  CHECK_EQ(symlink("elsewhere", path.c_str()), 0);
  CHECK(view_of(folder).is_empty());
  begin_and_end(folder);
  fs::remove(folder + "/elsewhere");
  check_final(folder, "old");

  put_file(path, "");
  fs::resize_file(path, uint64_t{1} << 40);  // a hole
  CHECK(view_of(folder).is_empty());
  begin_and_end(folder);
  check_final(folder, "old");

  fs::create_directory(path);
  CHECK(view_of(folder).is_empty());
  begin_and_end(folder);
  CHECK(fs::is_directory(path));
}

TEST(journal_view, in_a_sticky_folder_believes_the_owner_of_the_files_only) {
  if (geteuid() != 0) return;  // gives files away
  const std::string folder = folder_with_two_sets("sticky");
  const std::string path = folder + "/" + kJournalName;
  CHECK_EQ(chmod(folder.c_str(), 01777), 0);
  put_file(path, encoded(sample()));
  CHECK(!view_of(folder).is_empty());
  CHECK_EQ(chown(path.c_str(), 1234, 1234), 0);
  CHECK(view_of(folder).is_empty());
  CHECK_EQ(chown((folder + "/m.onnx").c_str(), 1234, 1234), 0);
  CHECK(view_of(folder).is_empty());  // m.bin is still ours
  begin_and_end(folder);
  check_final(folder, "old");

  // Where whoever may write may also replace, everybody is believed.
  CHECK_EQ(chmod(folder.c_str(), 0777), 0);
  put_file(path, encoded(sample()));
  CHECK_EQ(chown(path.c_str(), 1234, 1234), 0);
  CHECK(!view_of(folder).is_empty());
}
