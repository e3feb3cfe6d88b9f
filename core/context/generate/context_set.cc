// SPDX-License-Identifier: MIT
// Models and their containers, published together: see the header.
#include "core/context/generate/context_set.h"

#include "core/platform/path.h"

namespace ortc {

Result<std::shared_ptr<ContextBinaryWriter>> ContextSet::container(
    const ContextBinaryWriter::Options& options, bool goes_to_file) {
  auto& container = containers_[options.provider];
  const std::pair<std::string, int> terms(options.target, options.zstd_level);
  if (container == nullptr) {
    auto fresh = std::make_shared<ContextBinaryWriter>(options);
    if (goes_to_file) RETURN_IF_ERROR(output_->expect(options.file_name));
    if (goes_to_file && is_shared_) {
      ASSIGN_OR_RETURN(auto file, StagedFile::create_unnamed(output_->place().folder,
                                                             path_file_name(options.file_name)));
      RETURN_IF_ERROR(fresh->spool_to(std::move(file)));
    }
    terms_[options.provider] = terms;
    container = std::move(fresh);
    return container;
  }
  const auto& known = terms_[options.provider];
  if (known == terms) return container;
  return invalid_argument("models that share a context binary are compiled alike: expected ",
                          options.provider, " with target '", known.first,
                          "' and compression level ", known.second, ", found '", terms.first,
                          "' and ", terms.second);
}

// A unit for each byte that is hashed, written and brought to the device, once all is sealed. The
// models themselves are small beside that, unless contexts are in them.
uint64_t ContextSet::units_of_writing() const {
  uint64_t units = 0;
  for (const auto& [provider, container] : containers_) {
    const uint64_t times = container->is_embedded() ? 3 : container->is_spooled() ? 1 : 2;
    units += times * container->file_size();
  }
  for (const PreparedModel& model : models_) {
    for (const ProviderSink::Raw& raw : model.raws) units += 2 * raw.bytes.size();
  }
  return units;
}

// Everything that is written, the generation aside, gives the generation.
Result<Hash128> ContextSet::seal(Work& work) {
  Hasher hasher;
  for (const PreparedModel& model : models_) {
    for (const ProviderSink::Raw& raw : model.raws) {
      hasher.add_number(raw.hash.low).add_number(raw.hash.high);
    }
  }
  for (auto& [provider, container] : containers_) {
    ASSIGN_OR_RETURN(const Hash128 hash, container->seal());
    hasher.add_number(hash.low).add_number(hash.high);
  }
  work.expect(units_of_writing());
  for (PreparedModel& model : models_) RETURN_IF_ERROR(model.seal(hasher, work));
  return hasher.finish();
}

Status ContextSet::give(const std::string& name, Bytes bytes, const Work& work) {
  if (*write_context_data_) {
    RETURN_IF_ERROR(work.go_on());
    return (*write_context_data_)(name, bytes);
  }
  ASSIGN_OR_RETURN(StagedFile * file, output_->stage(name));
  RETURN_IF_ERROR_WHILE(file->write(bytes), "writing '", path_join(output_->place().folder, name),
                        "'");
  return Status::ok();
}

Status ContextSet::give_container(ContextBinaryWriter& container, const Work& work) {
  const std::string& name = container.file_name();
  if (container.is_spooled()) {
    ASSIGN_OR_RETURN(auto file, container.finish_spool());
    return output_->stage(name, std::move(file)).status();
  }
  if (*write_context_data_) {
    ASSIGN_OR_RETURN(const Tensor whole, container.assemble());
    return give(name, whole.bytes(), work);
  }
  ASSIGN_OR_RETURN(StagedFile * file, output_->stage(name));
  RETURN_IF_ERROR_WHILE(container.write_to(*file), "writing '",
                        path_join(output_->place().folder, name), "'");
  return Status::ok();
}

Status ContextSet::stage_files(const Hash128& generation, const Work& work) {
  for (const PreparedModel& model : models_) {
    for (const ProviderSink::Raw& raw : model.raws) {
      RETURN_IF_ERROR(give(raw.file_name, raw.bytes.bytes(), work));
    }
  }
  for (auto& [provider, container] : containers_) {
    container->set_generation(generation);
    const bool is_file = !container->is_embedded() && !container->is_empty();
    if (is_file) RETURN_IF_ERROR(give_container(*container, work));
  }
  for (const PreparedModel& model : models_) {
    RETURN_IF_ERROR(model.write_initializers(*output_, generation));
  }
  return Status::ok();
}

// Before they are read, and again before what was read counts.
Status ContextSet::check_files() const {
  for (const PreparedModel& model : models_) RETURN_IF_ERROR(model.check_files());
  return Status::ok();
}

Status ContextSet::publish(const ContextDataWriter& write_context_data, Work& work,
                           CompileReport& report) {
  write_context_data_ = &write_context_data;
  RETURN_IF_ERROR(check_files());
  ASSIGN_OR_RETURN(const Hash128 generation, seal(work));
  for (PreparedModel& model : models_) model.set_generation(generation);
  RETURN_IF_ERROR(output_->begin(limits_of(work)));
  RETURN_IF_ERROR(stage_files(generation, work));
  RETURN_IF_ERROR(check_files());
  // Programs get theirs when nothing of the files can fail any more.
  for (const bool is_file : {true, false}) {
    for (PreparedModel& model : models_) {
      if (output_->place(model.number()).is_file() != is_file) continue;
      RETURN_IF_ERROR(model.write(*output_, work));
    }
  }
  RETURN_IF_ERROR(check_files());
  RETURN_IF_ERROR(output_->commit(generation.hex()));
  for (const OutputSet::File& file : output_->files()) {
    report.files.push_back({file.path, file.bytes});
  }
  return Status::ok();
}

}  // namespace ortc
