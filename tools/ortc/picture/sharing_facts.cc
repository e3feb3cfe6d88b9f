// SPDX-License-Identifier: MIT
// Files are told apart by where they are, contexts inside models by their node.

#include "tools/ortc/picture/sharing_facts.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace ortc::tool {
namespace {

namespace fs = std::filesystem;

class Sharing {
 public:
  explicit Sharing(const std::vector<ModelFacts>& models) : models_(models) {}

  SharingFacts run() {
    for (size_t i = 0; i < models_.size(); ++i) {
      facts_.models.push_back(models_[i].name);
      facts_.shares.emplace_back();
      add_contexts(i);
      add_weights(i);
    }
    for (SharedFile& file : facts_.files) finish(file);
    find_repeated();
    return std::move(facts_);
  }

 private:
  using Place = std::pair<uint64_t, uint64_t>;  // offset and size

  SharedFile& file_at(const std::string& key, const std::string& name) {
    const auto [place, is_new] = numbers_.emplace(key, facts_.files.size());
    if (is_new) {
      facts_.files.push_back({name, {}});
      places_.emplace_back();
    }
    return facts_.files[place->second];
  }

  std::string key_of(size_t model, const std::string& name) const {
    std::error_code error;
    const fs::path path = fs::path(models_[model].path).parent_path() / name;
    const fs::path real = fs::weakly_canonical(path, error);
    return (error ? path : real).string();
  }

  SharedTensor& tensor_at(const std::string& key, const TensorFacts& tensor) {
    const size_t number = numbers_.at(key);
    auto& tensors = facts_.files[number].tensors;
    const auto [place, is_new] =
        places_[number].emplace(Place(tensor.offset, tensor.stored_bytes), tensors.size());
    if (is_new) tensors.push_back({tensor, {}});
    return tensors[place->second];
  }

  static void use(SharedTensor& tensor, size_t model) {
    if (tensor.users.empty() || tensor.users.back() != model) tensor.users.push_back(model);
  }

  void add_contexts(size_t model) {
    const ModelFacts& facts = models_[model];
    std::vector<std::string> keys;
    for (const ContextFacts& context : facts.contexts) {
      const bool is_file = !context.file.empty();
      keys.push_back(is_file ? key_of(model, context.file)
                             : facts.path + "\n" + std::to_string(keys.size()));
      file_at(keys.back(), is_file ? context.file : "inside " + facts.name);
      for (const TensorFacts& tensor : context.tensors) tensor_at(keys.back(), tensor);
    }
    for (const NodeFacts& node : facts.nodes) {
      for (const UsedGraph& used : node.contexts) {
        const auto& tensors = facts.contexts[used.context].tensors;
        for (size_t number : used.tensors) {
          use(tensor_at(keys[used.context], tensors[number]), model);
        }
      }
    }
  }

  void add_weights(size_t model) {
    for (const StoredWeight& weight : models_[model].stored_weights) {
      const std::string key = key_of(model, weight.file);
      file_at(key, weight.file);
      use(tensor_at(key, weight.tensor), model);
    }
  }

  void finish(SharedFile& file) {
    std::stable_sort(file.tensors.begin(), file.tensors.end(),
                     [](const auto& a, const auto& b) { return a.facts.offset < b.facts.offset; });
    for (const SharedTensor& tensor : file.tensors) {
      const uint64_t bytes = tensor.facts.stored_bytes;
      file.bytes += bytes;
      facts_.used_bytes += bytes * tensor.users.size();
      (tensor.users.empty() ? facts_.unused_bytes : facts_.stored_bytes) += bytes;
      for (size_t model : tensor.users) {
        facts_.shares[model].bytes += bytes;
        if (tensor.users.size() == 1) facts_.shares[model].alone_bytes += bytes;
      }
    }
  }

  void find_repeated() {
    std::set<std::pair<std::string, uint64_t>> known;
    for (const SharedFile& file : facts_.files) {
      std::set<std::pair<std::string, uint64_t>> here;
      for (const SharedTensor& tensor : file.tensors) {
        if (tensor.facts.hash.empty()) continue;
        const auto key = std::make_pair(tensor.facts.hash, tensor.facts.bytes);
        if (here.insert(key).second && known.count(key) != 0) {
          ++facts_.repeated_tensors;
          facts_.repeated_bytes += tensor.facts.stored_bytes;
        }
      }
      known.insert(here.begin(), here.end());
    }
  }

  const std::vector<ModelFacts>& models_;
  SharingFacts facts_;
  std::map<std::string, size_t> numbers_;        // of files, by their key
  std::vector<std::map<Place, size_t>> places_;  // of tensors, by file
};

}  // namespace

SharingFacts sharing_of(const std::vector<ModelFacts>& models) { return Sharing(models).run(); }

}  // namespace ortc::tool
