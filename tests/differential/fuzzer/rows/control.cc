// SPDX-License-Identifier: MIT
// If, Loop and Scan with small bodies that read values of the graph around them; local functions.
#include "core/base/str_cat.h"
#include "tests/differential/fuzzer/drawing.h"

namespace ortc::fuzz {
namespace {

constexpr TypeMask kBody = mask_of(DType::kFloat32);

DrawnNode plain(std::string op, Names inputs, std::string output, Attributes attributes = {}) {
  return {std::move(op), "", std::move(inputs), {std::move(output)}, std::move(attributes), {}, 0};
}

// A body's value of a type, with no more than that known.
DrawnValue typed(DType dtype, const Dims& dims = {}) {
  return {Datum(Tensor::create(dtype, dims).value()), 0, Role::kMade, {}};
}

// A few steps from the named value to another of the same shape; captured values may come in.
std::string chain(Drawing& d, DrawnGraph& body, std::string from, const Names& captured) {
  static const std::vector<std::string> kUnary = {"Relu", "Tanh", "Sigmoid", "Abs", "Neg"},
                                        kBinary = {"Add", "Sub", "Max"};
  for (int64_t i = d.chance().between(1, 3); i > 0; --i) {
    const std::string to = d.new_name();
    if (!captured.empty() && d.chance().one_in(2)) {
      body.nodes.push_back(plain(d.chance().of(kBinary), {from, d.chance().of(captured)}, to));
    } else {
      body.nodes.push_back(plain(d.chance().of(kUnary), {from}, to));
    }
    from = to;
  }
  return from;
}

// Which of the names the body's nodes read.
Names read_by(const DrawnGraph& body, const Names& names) {
  Names found;
  for (const std::string& name : names) {
    bool is_read = false;
    for (const DrawnNode& node : body.nodes) {
      for (const std::string& input : node.inputs) is_read |= input == name;
      for (const std::string& input : node.captured) is_read |= input == name;
    }
    if (is_read) found.push_back(name);
  }
  return found;
}

void merge(Names& into, const Names& names) {
  for (const std::string& name : names) {
    if (std::find(into.begin(), into.end(), name) == into.end()) into.push_back(name);
  }
}

std::shared_ptr<DrawnGraph> branch(Drawing& d, const std::string& x, const Names& captured,
                                   bool swaps) {
  auto body = std::make_shared<DrawnGraph>();
  std::string y = chain(d, *body, x, captured);
  if (swaps) {
    const std::string turned = d.new_name();
    body->nodes.push_back(plain("Transpose", {y}, turned));
    y = turned;
  }
  body->outputs = {y};
  body->values[y] = typed(DType::kFloat32);
  return body;
}

void branch_off(Drawing& d) {
  const std::string x = d.any(kBody, 0, 3), other = d.like(DType::kFloat32, d.dims_of(x));
  const std::string flag =
      d.chance().one_in(4) ? d.constant(DType::kBool, {}) : d.like(DType::kBool, {});
  if (d.has_failed()) return;
  auto then = branch(d, x, {other}, d.chance().one_in(3)), otherwise = branch(d, other, {x}, false);
  Names captured = read_by(*then, {x, other});
  merge(captured, read_by(*otherwise, {x, other}));
  if (d.chance().one_in(4)) {  // an If in the If
    auto inner = std::make_shared<DrawnGraph>();
    const std::string y = d.new_name();
    DrawnNode node = plain("If", {flag}, y,
                           {{"then_branch", branch(d, x, {other}, false)},
                            {"else_branch", branch(d, other, {}, false)}});
    inner->nodes.push_back(node);
    inner->outputs = {y};
    inner->values[y] = typed(DType::kFloat32);
    otherwise = inner;
    captured = {x, other};
    merge(captured, {flag});
  }
  d.add_many("If", {flag}, {{"then_branch", then}, {"else_branch", otherwise}}, 1, "", 1, captured);
}

void loop(Drawing& d) {
  const std::string x = d.any(kBody, 0, 3), other = d.like(DType::kFloat32, d.dims_of(x));
  // Where it collects nothing of a shape known at load, the shape of no elements is left open.
  const bool collects = d.chance().one_in(2);
  const int64_t trips = d.chance().between(collects ? 1 : 0, 4);
  const std::string count =
      d.chance().one_in(2)
          ? d.scalar(DType::kInt64, static_cast<double>(trips))
          : d.input(DType::kInt64, {},
                    {Fill::kWhole, static_cast<double>(trips), static_cast<double>(trips)});
  if (d.has_failed()) return;
  auto body = std::make_shared<DrawnGraph>();
  const std::string i = d.new_name(), go = d.new_name(), state = d.new_name(), on = d.new_name(),
                    stop = d.new_name();
  body->inputs = {i, go, state};
  body->values = {
      {i, typed(DType::kInt64)}, {go, typed(DType::kBool)}, {state, typed(DType::kFloat32)}};
  const std::string next = chain(d, *body, state, {other});
  const bool stops = d.chance().one_in(3);
  if (stops) {
    body->constants = {stop};
    body->values[stop] = {
        Datum(Tensor::scalar<int64_t>(d.chance().between(0, 3))), 0, Role::kConstant, {}};
    body->nodes.push_back(plain("Less", {i, stop}, on));
  } else {
    body->nodes.push_back(plain("Identity", {go}, on));
  }
  body->outputs = {on, next};
  if (collects) {
    const std::string each = d.new_name();
    body->nodes.push_back(plain(d.chance().one_in(2) ? "Neg" : "Identity", {next}, each));
    body->outputs.push_back(each);
    body->values[each] = typed(DType::kFloat32);
  }
  body->values[on] = typed(DType::kBool);
  body->values[next] = typed(DType::kFloat32);
  d.add_many(
      "Loop", {count, d.chance().one_in(2) ? "" : d.constant(tensor_of(DType::kBool, {}, {1})), x},
      {{"body", body}}, collects ? 2 : 1, "",
      collects ? static_cast<unsigned>(d.chance().between(1, 3)) : 1, read_by(*body, {other}));
}

void scan(Drawing& d) {
  const std::string xs = d.any(kBody, 1, 3);
  const Dims dims = d.dims_of(xs);
  if (dims.empty() || d.has_failed()) return d.fail();
  const Dims each(dims.begin() + 1, dims.end());
  const std::string start = d.like(DType::kFloat32, each), other = d.like(DType::kFloat32, each);
  if (d.has_failed()) return;
  auto body = std::make_shared<DrawnGraph>();
  const std::string state = d.new_name(), x = d.new_name(), sum = d.new_name(), out = d.new_name();
  body->inputs = {state, x};
  body->values = {{state, typed(DType::kFloat32)},
                  {x, typed(DType::kFloat32)},
                  {sum, typed(DType::kFloat32)},
                  {out, typed(DType::kFloat32)}};
  body->nodes.push_back(plain("Add", {state, chain(d, *body, x, {other})}, sum));
  body->nodes.push_back(plain(d.chance().one_in(2) ? "Tanh" : "Identity", {sum}, out));
  body->outputs = {sum, out};
  d.add_many("Scan", {start, xs},
             {{"body", body},
              of_int("num_scan_inputs", 1),
              of_ints("scan_input_directions", {d.chance().between(0, 1)}),
              of_ints("scan_output_directions", {d.chance().between(0, 1)})},
             2, "", static_cast<unsigned>(d.chance().between(1, 3)), read_by(*body, {other}));
}

// Each tensor of a sequence through a body; what comes out is joined again.
void map_sequence(Drawing& d) {
  const std::string x = d.any(kBody, 1, 3), other = d.like(DType::kFloat32, d.dims_of(x));
  Names items{x};
  for (int64_t i = d.chance().between(0, 2); i > 0; --i) {
    items.push_back(d.like(DType::kFloat32, d.dims_of(x)));
  }
  const std::string sequence = d.add("SequenceConstruct", items);
  if (d.has_failed()) return;
  auto body = std::make_shared<DrawnGraph>();
  const std::string item = d.new_name();
  body->inputs = {item};
  body->values[item] = typed(DType::kFloat32);
  const std::string y = chain(d, *body, item, {other});
  body->outputs = {y};
  body->values[y] = typed(DType::kFloat32);
  const std::string mapped =
      d.add_many("SequenceMap", {sequence}, {{"body", body}}, 1, "", 1, read_by(*body, {other}))[0];
  d.add("ConcatFromSequence", {mapped},
        {of_int("axis", 0), of_int("new_axis", d.chance().between(0, 1))});
}

// A function of the model's own: its nodes are inlined.
void call(Drawing& d) {
  const std::string x = d.any(kBody, 0, 3);
  const std::string y = d.broadcasting(DType::kFloat32, d.dims_of(x));
  if (d.has_failed()) return;
  DrawnFunction function{str_cat("f", d.graph().functions.size()), "", {"a", "b"}, {}};
  DrawnGraph body;
  const std::string from = d.new_name();
  body.nodes.push_back(plain("Mul", {"a", "b"}, from));
  function.output = chain(d, body, from, {"a", "b"});
  function.nodes = body.nodes;
  d.graph().functions.push_back(function);
  d.add(function.name, {x, y}, {}, "local");
  if (d.has_failed()) d.graph().functions.pop_back();
}

}  // namespace

std::vector<OperatorRow> control_rows() {
  return {
      {"If", "", 16, kPlain, 8, branch_off}, {"Loop", "", 16, kPlain, 8, loop},
      {"Scan", "", 16, kPlain, 8, scan},     {"SequenceMap", "", 17, kPlain, 8, map_sequence},
      {"*", "local", 1, kPlain, 8, call},
  };
}

}  // namespace ortc::fuzz
