// SPDX-License-Identifier: MIT
// One stage after the other: see the header.
#include "core/session/stages.h"

#include <algorithm>

#include "core/context/context_paths.h"
#include "core/graph/model_draft.h"
#include "core/partition/layout/standard_form.h"
#include "core/platform/clock.h"
#include "core/platform/memory/scratch_memory.h"
#include "core/platform/target_list.h"
#include "core/session/cache/load_or_compile.h"
#include "core/session/sharing.h"

namespace ortc {
namespace {

// What is wrong with the options for writing is told before anything is read.
Status check_output(const ModelSource& source, const CompileRules& rules, const Making& making) {
  const ContextSettings& context = making.context();
  RETURN_IF_ERROR(check_context_settings(context));
  if (!context.enable || rules.output) return Status::ok();
  if (source.from_memory && context.file_path.empty()) {
    return make_status(rules.is_compile_api ? Code::kInvalidArgument : Code::kFail,
                       "the model comes from memory, so ep.context_file_path must say where the "
                       "context model goes (or use the compile API with an output path)");
  }
  return context_model_path(context, source.from_memory ? std::string() : source.path).status();
}

Status check_already_compiled(const LoadedModel& loaded, const CompileRules& rules,
                              Making& making) {
  if (!loaded.is_compiled || !making.context().enable) return Status::ok();
  if (rules.is_compile_api) {
    return invalid_graph(
        "the input model has EPContext nodes: it is compiled already; compile its source model");
  }
  ORTC_LOG(making.logger(), kWarning, "context", "ep.context_enable=1, but '", loaded.source.path,
           "' is compiled already: nothing is written");
  making.write_nothing();
  return Status::ok();
}

// What the model's metadata say of the contexts that providers made for it.
Status check_compatibility(const LoadedModel& loaded, const SessionProviders& providers,
                           const Making& making) {
  for (const SessionProvider& one : providers.claiming) {
    const std::string* info =
        loaded.model->metadata_value(str_cat("ep_compatibility_info.", one.factory->name()));
    if (info == nullptr) continue;
    std::string reason;
    auto judged = one.factory->judge_for(one.devices, *info, &reason);
    RETURN_IF_ERROR_WHILE(judged.status(), one.factory->name(),
                          " cannot judge what the model was compiled for");
    const Compatibility verdict = *judged;
    if (verdict == Compatibility::kUnsupported) {
      return fail("the model was compiled for ", one.factory->name(),
                  " in a way this library cannot run: ", reason);
    }
    if (verdict != Compatibility::kPreferRecompilation) continue;
    if (making.context().fail_on_suboptimal) {
      return fail(
          "the compiled model runs, but not at its best "
          "(session.fail_on_suboptimal_compiled_model=1): ",
          reason);
    }
    ORTC_LOG(making.logger(), kWarning, "context",
             "compile the model again for best speed: ", reason);
  }
  return Status::ok();
}

// Misaligned constants of the model's file are copied, and passes make new ones. Besides what
// is packed of them they would be too much memory, so they lie in a file without a name where the
// contexts go. Null: in memory; what is wrong with the folder is told when its files are opened.
std::shared_ptr<TensorMemory> memory_of_constants(const ModelSource& source,
                                                  const CompileRules& rules,
                                                  const ContextSettings& context) {
  if (!context.enable || !rules.program.leaves_contexts_to_files(context)) return nullptr;
  const auto place = output_place(source, context, rules);
  auto memory = place.is_ok() ? scratch_memory(place->folder) : place.status();
  return memory.is_ok() ? std::move(memory).value() : nullptr;
}

// Constants are computed as the nodes would be where the model runs, on whatever machine it is
// compiled.
Isa isa_of_constants(const SessionProviders& providers) {
  Isa isa = host_isa();
  for (const ExecutionProvider* provider : providers.list()) {
    isa = std::min(isa, lowest_isa(provider->target()));
  }
  return isa;
}

// Of a model that might have become a compiled one.
Status write_optimised_of(const PartitionedModel& partitioned, Making& making) {
  const LoadedModel& loaded = partitioned.loaded;
  const bool is_written = loaded.is_compiled || !making.context().enable;
  if (making.settings().optimised_model.path.empty() || is_written) return Status::ok();
  const bool is_compiled = partitioned.has_new_partitions();
  const auto model = is_compiled ? nullptr : clone_model(*loaded.model);
  if (model != nullptr) RETURN_IF_ERROR(become_standard(*model->graph));
  return write_optimised(is_compiled ? *loaded.model : *model, is_compiled, making);
}

// null: nobody asked for one, or through ONNX Runtime's table for one that has no place.
Result<std::shared_ptr<Profiler>> start_profiler(const Making& making) {
  if (!making.settings().profile_prefix) return std::shared_ptr<Profiler>();
  auto profiler = Profiler::start(*making.settings().profile_prefix, making.logger());
  if (profiler.is_ok() || !making.options().lenient) return profiler;
  ORTC_LOG(making.logger(), kWarning, "profiler", profiler.status().message());
  return std::shared_ptr<Profiler>();
}

Result<MadeModel> make_once(const ModelSource& source, const CompileRules& rules, Making& making) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Profiler> profiler, start_profiler(making));
  const int64_t begin_ns = now_ns();
  ASSIGN_OR_RETURN(CompiledModel compiled, compile_source(source, rules, making));
  MadeModel made;
  if (!compiled.can_run) {
    made.compiled = std::make_shared<const CompiledModel>(std::move(compiled));
    return made;
  }
  compiled.facts.profiler = profiler;
  ASSIGN_OR_RETURN(made.session, make_session(std::move(compiled), making));
  if (profiler != nullptr) {
    const auto& stages = made.session->report().stages;
    const int64_t loaded_ns = begin_ns + (stages.empty() ? 0 : stages.front().duration_ns);
    profiler->add_session_event(source.from_memory ? "model_loading_array" : "model_loading_uri",
                                begin_ns, loaded_ns);
    profiler->add_session_event("session_initialization", loaded_ns, now_ns());
  }
  return made;
}

}  // namespace

Result<CompiledModel> compile_source(const ModelSource& source, const CompileRules& rules,
                                     Making& making) {
  RETURN_IF_ERROR(check_output(source, rules, making));
  // What is packed of the model later lies in common memory: a session that runs keeps that.
  const auto memory = memory_of_constants(source, rules, making.context());
  const auto in_memory = [&](const auto& make) {
    const WithTensorMemory with_memory(memory.get());
    return make();
  };
  // Providers are told whether anything is written, so they come when the model is read. Those of a
  // group come before: it ends with its last model, also with one that cannot be read.
  SessionProviders providers;
  if (rules.member != nullptr) {
    ASSIGN_OR_RETURN(providers, make_providers(making));
  }
  ASSIGN_OR_RETURN(LoadedModel loaded, in_memory([&] { return load_model(source, making); }));
  RETURN_IF_ERROR(check_already_compiled(loaded, rules, making));
  if (rules.member == nullptr) {
    ASSIGN_OR_RETURN(providers, make_providers(making));
  }
  RETURN_IF_ERROR(check_compatibility(loaded, providers, making));
  const Isa isa = isa_of_constants(providers);
  ASSIGN_OR_RETURN(loaded,
                   in_memory([&] { return optimise_model(std::move(loaded), isa, making); }));
  ASSIGN_OR_RETURN(PartitionedModel partitioned,
                   partition_model(std::move(loaded), std::move(providers), making));
  RETURN_IF_ERROR(write_optimised_of(partitioned, making));
  return compile_model(std::move(partitioned), rules, making);
}

Result<MadeModel> make_model(const std::shared_ptr<const Environment>& environment,
                             const ModelSource& source, const SessionOptions& options,
                             const MakingLimits& limits) {
  if (!options.context.cache_folder.empty()) {
    return load_or_compile(environment, source, options, limits);
  }
  return make_uncached(environment, source, options, limits);
}

Result<MadeModel> make_uncached(const std::shared_ptr<const Environment>& environment,
                                const ModelSource& source, const SessionOptions& options,
                                const MakingLimits& limits, const CacheReport& cache) {
  ModelSource lasting = source;
  CompileRules rules;
  ASSIGN_OR_RETURN(const auto member, join_group(*environment, options, rules, lasting));
  rules.member = member.get();
  auto made = make_again(environment, options, limits, [&](Making& making) {
    making.report.cache = cache;
    return make_once(lasting, rules, making);
  });
  RETURN_IF_ERROR(settle(member.get(), made.is_ok() ? Status::ok() : made.status()));
  return made;
}

Result<std::unique_ptr<Model>> load_for_providers(
    const std::shared_ptr<const Environment>& environment, const ModelSource& source) {
  SessionOptions options;
  options.level = OptimisationLevel::kNone;
  ASSIGN_OR_RETURN(LoadedModel loaded,
                   make_again(environment, options, {}, [&](Making& making) -> Result<LoadedModel> {
                     ASSIGN_OR_RETURN(LoadedModel read, load_model(source, making));
                     return optimise_model(std::move(read), host_isa(), making);
                   }));
  return std::move(loaded.model);
}

}  // namespace ortc
