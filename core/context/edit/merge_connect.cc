// SPDX-License-Identifier: MIT
// Connecting merged models: see the header.
//
// A session compares the named dimensions of its inputs with one another, and what was compiled
// relies on it. An input that is fed from inside is not compared any more. So a connection gives
// the input's dimension the output's name everywhere, and is refused where two sizes would have to
// be equal that no session compares.
#include "core/context/edit/merge_connect.h"

#include <algorithm>

#include "core/context/edit/merge_names.h"

namespace ortc {
namespace {

struct Connection {
  std::string text;
  ValueId from = kNoValue, to = kNoValue;
  size_t part = 0;  // that `to` is an input of
};

std::string names_of(const std::map<std::string, ValueId>& ports) {
  std::string names;
  for (const auto& [name, unused] : ports) names += str_cat(names.empty() ? "'" : ", '", name, "'");
  return names.empty() ? "none" : names;
}

// Takes "enc.y" apart. Labels and names may have dots: all ways to read it are tried.
class EndReader {
 public:
  explicit EndReader(const std::vector<MergedPart>& parts) : parts_(parts) {}

  struct End {
    size_t part = 0;
    ValueId value = kNoValue;
  };
  // Adds what the text can mean to `ends`; the last fault otherwise.
  std::string read(std::string_view text, bool is_output, std::vector<End>& ends) const {
    std::string fault =
        str_cat("'", text, "' begins with the name of no model; they are ", labels());
    for (size_t p = 0; p < parts_.size(); ++p) {
      const MergedPart& part = parts_[p];
      std::set<std::string> calls = {part.label, part.stem, str_cat(p + 1)};
      for (const std::string& call : calls) {
        const bool begins =
            text.size() > call.size() && text.starts_with(call) && text[call.size()] == '.';
        if (!begins) continue;
        const auto& ports = is_output ? part.out : part.in;
        const auto port = ports.find(std::string(text.substr(call.size() + 1)));
        if (port == ports.end()) {
          fault = str_cat("'", part.label, "' has no ", is_output ? "output" : "input", " '",
                          text.substr(call.size() + 1), "', only ", names_of(ports));
          continue;
        }
        ends.push_back({p, port->second});
      }
    }
    return fault;
  }

 private:
  std::string labels() const {
    std::string names;
    for (const MergedPart& part : parts_)
      names += str_cat(names.empty() ? "'" : ", '", part.label, "'");
    return names;
  }

  const std::vector<MergedPart>& parts_;
};

Result<Connection> parse(const std::string& text, const std::vector<MergedPart>& parts) {
  const EndReader reader(parts);
  std::vector<Connection> readings;
  std::string fault = str_cat("expected OUTPUT=INPUT as in 'enc.y=dec.x'");
  for (size_t equals = text.find('='); equals != std::string::npos;
       equals = text.find('=', equals + 1)) {
    std::vector<EndReader::End> from, to;
    const std::string from_fault =
        reader.read(std::string_view(text).substr(0, equals), /*is_output=*/true, from);
    const std::string to_fault =
        reader.read(std::string_view(text).substr(equals + 1), /*is_output=*/false, to);
    fault = from.empty() ? from_fault : to_fault;
    for (const auto& output : from) {
      for (const auto& input : to)
        readings.push_back({text, output.value, input.value, input.part});
    }
  }
  if (readings.empty()) return invalid_argument("connection '", text, "': ", fault);
  if (readings.size() == 1) return readings.front();
  return invalid_argument("connection '", text, "' can be read in ", readings.size(),
                          " ways; call the models by number, as '1.y=2.x'");
}

class Connector {
 public:
  Connector(Graph& graph, const std::vector<MergedPart>& parts) : graph_(graph) {
    for (const MergedPart& part : parts) symbols_.push_back(part.symbols);
  }

  Status run(const std::vector<Connection>& connections) {
    std::set<ValueId> fed;
    for (const Connection& connection : connections) {
      if (!fed.insert(connection.to).second) {
        return invalid_argument("connection '", connection.text, "': the input is connected twice");
      }
      taken_.insert(connection.from);
    }
    // Before sizes are compared: what remains an input is what a session looks at.
    std::vector<ValueId> inputs = graph_.inputs(), outputs = graph_.outputs();
    std::erase_if(inputs, [&](ValueId id) { return fed.contains(id); });
    std::erase_if(outputs, [&](ValueId id) { return taken_.contains(id); });
    graph_.set_inputs(inputs);
    graph_.set_outputs(outputs);
    for (const Connection& connection : connections) {
      auto status = check_types(connection);
      RETURN_IF_ERROR_WHILE(status, "connection '", connection.text, "'");
    }
    for (const Connection& connection : connections) RETURN_IF_ERROR(connect(connection));
    if (graph_.outputs().empty()) {
      return invalid_argument("no output is left: every output is connected to an input");
    }
    return graph_.topological_order().status();
  }

 private:
  Status misfit(const Connection& connection, const std::string& what) const {
    const Type &from = graph_.value(connection.from)->type, &to = graph_.value(connection.to)->type;
    return invalid_argument("expected ", type_to_string(to), ", found ", type_to_string(from), ": ",
                            what);
  }

  Status check_types(const Connection& connection) {
    const Type &from = graph_.value(connection.from)->type, &to = graph_.value(connection.to)->type;
    if (from.kind != to.kind || from.dtype != to.dtype) {
      return misfit(connection, "the types differ");
    }
    if (!to.is_tensor()) {
      return types_equal(from, to) ? Status::ok() : misfit(connection, "the types differ");
    }
    if (!to.shape) return Status::ok();
    if (!from.shape) return misfit(connection, "the rank of the output is not known");
    if (from.shape->size() != to.shape->size()) return misfit(connection, "the ranks differ");
    for (size_t i = 0; i < to.shape->size(); ++i) {
      RETURN_IF_ERROR(check_dim(connection, i));
    }
    return Status::ok();
  }

  // Copies: names change on the way.
  Status check_dim(const Connection& connection, size_t i) {
    const Dim from = (*graph_.value(connection.from)->type.shape)[i];
    const Dim to = (*graph_.value(connection.to)->type.shape)[i];
    if (to.same_as(from)) return Status::ok();
    if (to.is_known()) {
      return misfit(connection, from.is_known()
                                    ? str_cat("dimension ", i, " differs")
                                    : str_cat("dimension ", i, " of the output may have any size"));
    }
    if (to.symbol.empty()) return Status::ok();
    const bool is_compared = is_input_symbol(to.symbol);
    const bool is_free = symbols_[connection.part].contains(to.symbol) && !is_compared;
    const bool is_checked = is_compared && (from.is_known() || is_input_symbol(from.symbol));
    if (!is_free && !is_checked) {
      return misfit(connection, str_cat("dimension ", i, " has to be '", to.symbol,
                                        "', which other values have, and nothing compares them"));
    }
    // From here on it is bound.
    for (auto& symbols : symbols_) symbols.erase(to.symbol);
    if (from.is_known() || !from.symbol.empty()) replace_symbol(graph_, to.symbol, from);
    return Status::ok();
  }

  bool is_input_symbol(const std::string& symbol) const {
    if (symbol.empty()) return false;
    return std::any_of(graph_.inputs().begin(), graph_.inputs().end(), [&](ValueId id) {
      const auto& shape = graph_.value(id)->type.shape;
      return shape && std::any_of(shape->begin(), shape->end(), [&](const Dim& dim) {
               return !dim.is_known() && dim.symbol == symbol;
             });
    });
  }

  Status connect(const Connection& connection) {
    Value& to = *graph_.value(connection.to);
    if (to.initializer || to.sparse_initializer) graph_.set_initializer(connection.to, nullptr);
    if (to.is_output || taken_.contains(to.id)) {
      // Given through: what reads it as an output still finds it.
      return graph_
          .add_node("Identity", "", graph_.unique_name(str_cat(to.name, "_connected")),
                    {connection.from}, {connection.to})
          .status();
    }
    if (!graph_.replace_uses(connection.to, connection.from)) {
      return fail("connection '", connection.text, "' cannot be made");
    }
    graph_.remove_value(connection.to);
    graph_.value(connection.from)->has_value_info = true;
    return Status::ok();
  }

  Graph& graph_;
  std::vector<std::set<std::string, std::less<>>> symbols_;  // by part: not bound so far
  std::set<ValueId> taken_;                                  // outputs that are connected
};

}  // namespace

Status connect_parts(Graph& graph, const std::vector<MergedPart>& parts,
                     const std::vector<std::string>& connections) {
  std::vector<Connection> parsed;
  for (const std::string& text : connections) {
    ASSIGN_OR_RETURN(Connection connection, parse(text, parts));
    parsed.push_back(std::move(connection));
  }
  return Connector(graph, parts).run(parsed);
}

}  // namespace ortc
