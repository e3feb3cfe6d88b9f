// SPDX-License-Identifier: MIT
// Names of a model that another one has too: changed before the two are put together.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/context/edit/edit_source.h"
#include "core/context/edit/edits.h"

namespace ortc {

// What the models so far are made of, by name, sub-graphs included.
struct NamesInUse {
  std::set<std::string, std::less<>> values, nodes, symbols;
  // Partition names of contexts that only another runtime can read, by source.
  std::set<std::pair<std::string, std::string>> opaque_partitions;

  void add(const Graph& graph);
};

// Values, nodes and named dimensions of the model that stand in `used` get "<label>/" in front.
// INVALID_ARGUMENT when a name cannot be changed because it stands inside a context of another
// runtime.
Status make_names_unique(const EditSource& source, const NamesInUse& used,
                         std::vector<Renaming>& renamed);

// Calls visit(Type&) for the type of every value, of sub-graphs too.
void for_types(Graph& graph, const std::function<void(Type&)>& visit);
// `dim` in the place of the named dimension `symbol`, in every type of the graph.
void replace_symbol(Graph& graph, const std::string& symbol, const Dim& dim);

}  // namespace ortc
