// SPDX-License-Identifier: MIT
// Which kernel fits which node: see the header.
#include <algorithm>

#include "core/api/plugin/kernels/kernel_def.h"
#include "core/api/plugin/kernels/node_types.h"
#include "core/base/str_cat.h"

using namespace ortc;

namespace {

// A definition without an end is for the version it was made for alone: whether it knows a later
// one nobody can tell.
bool has_version(const OrtKernelDef& def, int since) {
  if (def.first_version == since) return true;
  return def.last_version != INT_MAX && def.first_version <= since && since <= def.last_version;
}

bool have_common(const std::vector<DType>& a, const std::vector<DType>& b) {
  return std::ranges::any_of(a, [&](DType one) { return std::ranges::find(b, one) != b.end(); });
}

Result<bool> has_types(const OrtKernelDef& def, const Node& node) {
  for (const auto& [parameter, dtypes] : def.types) {
    ASSIGN_OR_RETURN(const Type* const type, api::type_under(node, parameter));
    if (type == nullptr) continue;  // the node leaves out what the parameter is about
    const bool fits = type->is_tensor() && std::ranges::find(dtypes, type->dtype) != dtypes.end();
    if (!fits) return false;
  }
  return true;
}

}  // namespace

std::string OrtKernelDef::label() const {
  const std::string name = str_cat(domain.empty() ? "" : domain + ".", op_type);
  if (last_version == first_version) return str_cat(name, " of version ", first_version);
  if (last_version == INT_MAX) return str_cat(name, " from version ", first_version);
  return str_cat(name, " of versions ", first_version, " to ", last_version);
}

bool OrtKernelDef::overlaps(const OrtKernelDef& other) const {
  if (op_type != other.op_type || domain != other.domain || ep_name != other.ep_name) return false;
  if (last_version < other.first_version || other.last_version < first_version) return false;
  return std::ranges::all_of(types, [&](const auto& entry) {
    const auto same = other.types.find(entry.first);
    return same == other.types.end() || have_common(entry.second, same->second);
  });
}

Status OrtKernelRegistry::add(const OrtKernelDef& def, OrtKernelCreateFunc create, void* state) {
  for (const auto& entry : entries) {
    if (!entry->def.overlaps(def)) continue;
    return fail("a kernel for ", def.label(), " would be for nodes that the kernel for ",
                entry->def.label(), " is for, which is registered already");
  }
  entries.push_back(std::make_shared<const api::KernelEntry>(api::KernelEntry{def, create, state}));
  return Status::ok();
}

Result<std::shared_ptr<const api::KernelEntry>> OrtKernelRegistry::find(
    const Node& node, std::string_view ep_name) const {
  const int since = api::version_of(node);
  for (const auto& entry : entries) {
    const OrtKernelDef& def = entry->def;
    const bool is_of_node = def.op_type == node.op_type() && def.domain == node.domain() &&
                            def.ep_name == ep_name && has_version(def, since);
    if (!is_of_node) continue;
    ASSIGN_OR_RETURN(const bool fits, has_types(def, node));
    if (fits) return entry;
  }
  return std::shared_ptr<const api::KernelEntry>();
}
