// SPDX-License-Identifier: MIT
// RNN, GRU and LSTM against the operators' equations in double, one number at a time: directions,
// layouts, lengths, peepholes, clipping, activations.
#include <cmath>

#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

struct CellCase {
  std::string op;
  size_t gates;
  int64_t steps = 5, batch = 3, in = 4, hidden = 6, directions = 1;
  bool reverse = false, linear = false, input_forget = false;
  double clip = 0;
  bool has_lengths = false, has_states = false, has_peepholes = false;
};

struct Model {
  Tensor x, w, r, b, lengths, h0, c0, p;
};

Model random_model(const CellCase& c, Random& random) {
  const auto wide = static_cast<int64_t>(c.gates) * c.hidden;
  Model m;
  m.x = random.floats({c.steps, c.batch, c.in});
  m.w = random.floats({c.directions, wide, c.in});
  m.r = random.floats({c.directions, wide, c.hidden});
  m.b = random.floats({c.directions, 2 * wide});
  for (Tensor* t : {&m.w, &m.r}) {
    for (float& v : t->mutable_elements<float>()) v *= 0.15f;
  }
  if (c.has_lengths) m.lengths = tensor<int32_t>({3}, {5, 0, 3});
  if (c.has_states) {
    m.h0 = random.floats({c.directions, c.batch, c.hidden});
    if (c.op == "LSTM") m.c0 = random.floats({c.directions, c.batch, c.hidden});
  }
  if (c.has_peepholes) m.p = random.floats({c.directions, 3 * c.hidden});
  return m;
}

// One batch entry in one direction.
struct BatchEntry {
  const CellCase& c;
  const Model& m;
  int64_t direction;
  std::vector<double> h, cell;

  double at(const Tensor& t, int64_t i) const {
    return static_cast<double>(t.elements<float>()[static_cast<size_t>(i)]);
  }
  double gate(int64_t g, int64_t j, int64_t t, int64_t b, const std::vector<double>& state,
              bool with_x, bool with_h) const {
    const auto wide = static_cast<int64_t>(c.gates) * c.hidden;
    const int64_t row = direction * wide + g * c.hidden + j;
    const int64_t bias = direction * 2 * wide + g * c.hidden + j;
    double sum = 0;
    if (with_x) {
      for (int64_t k = 0; k < c.in; ++k) {
        sum += at(m.x, (t * c.batch + b) * c.in + k) * at(m.w, row * c.in + k);
      }
      sum += at(m.b, bias);
    }
    if (with_h) {
      for (int64_t k = 0; k < c.hidden; ++k) {
        sum += state[static_cast<size_t>(k)] * at(m.r, row * c.hidden + k);
      }
      sum += at(m.b, bias + wide);
    }
    return sum;
  }
  double bounded(double v) const { return c.clip > 0 ? std::clamp(v, -c.clip, c.clip) : v; }
  double peephole(int64_t which, int64_t j) const {
    return c.has_peepholes ? at(m.p, (direction * 3 + which) * c.hidden + j) : 0;
  }

  void step(int64_t t, int64_t b) {
    const std::vector<double> before = h;
    std::vector<double> reset(h.size());
    for (int64_t j = 0; j < c.hidden && c.op == "GRU"; ++j) {
      reset[static_cast<size_t>(j)] = plain_sigmoid(bounded(gate(1, j, t, b, before, true, true))) *
                                      before[static_cast<size_t>(j)];
    }
    for (int64_t j = 0; j < c.hidden; ++j) {
      const auto at_j = static_cast<size_t>(j);
      if (c.op == "RNN") {
        h[at_j] = std::tanh(bounded(gate(0, j, t, b, before, true, true)));
      } else if (c.op == "GRU") {
        const double z = plain_sigmoid(bounded(gate(0, j, t, b, before, true, true)));
        const double r = plain_sigmoid(bounded(gate(1, j, t, b, before, true, true)));
        const double last = c.linear ? gate(2, j, t, b, before, true, false) +
                                           r * gate(2, j, t, b, before, false, true)
                                     : gate(2, j, t, b, reset, true, true);
        h[at_j] = (1 - z) * std::tanh(bounded(last)) + z * before[at_j];
      } else {
        const double i = plain_sigmoid(
            bounded(gate(0, j, t, b, before, true, true) + peephole(0, j) * cell[at_j]));
        const double f = c.input_forget
                             ? 1 - i
                             : plain_sigmoid(bounded(gate(2, j, t, b, before, true, true) +
                                                     peephole(2, j) * cell[at_j]));
        const double g = std::tanh(bounded(gate(3, j, t, b, before, true, true)));
        cell[at_j] = f * cell[at_j] + i * g;
        const double o = plain_sigmoid(
            bounded(gate(1, j, t, b, before, true, true) + peephole(1, j) * cell[at_j]));
        h[at_j] = o * std::tanh(bounded(cell[at_j]));
      }
    }
  }
};

std::vector<Attribute> cell_attributes(const CellCase& c) {
  std::vector<Attribute> attributes = {
      Attribute::of_int("hidden_size", c.hidden),
      Attribute::of_string("direction", c.directions == 2 ? "bidirectional"
                                        : c.reverse       ? "reverse"
                                                          : "forward")};
  if (c.linear) attributes.push_back(Attribute::of_int("linear_before_reset", 1));
  if (c.input_forget) attributes.push_back(Attribute::of_int("input_forget", 1));
  if (c.clip > 0) attributes.push_back(Attribute::of_float("clip", static_cast<float>(c.clip)));
  return attributes;
}

void check_number(const Tensor& tensor, int64_t i, double expected) {
  CHECK_NEAR(static_cast<double>(tensor.elements<float>()[static_cast<size_t>(i)]), expected, 1e-4,
             1e-5);
}

// By ONNX's operator, and by the internal one, whose weights are packed.
void check_in(const std::string& domain, const CellCase& c, uint32_t seed) {
  Random random(seed);
  const Model m = random_model(c, random);
  std::vector<Tensor> inputs = {m.x, m.w, m.r, m.b, m.lengths, m.h0};
  if (c.op == "LSTM") inputs.insert(inputs.end(), {m.c0, m.p});
  const auto outputs =
      run_op({c.op, domain.empty() ? 14 : 0, cell_attributes(c), c.op == "LSTM" ? 3u : 2u, domain},
             inputs);
  CHECK_OK(outputs);
  for (int64_t d = 0; d < c.directions; ++d) {
    for (int64_t b = 0; b < c.batch; ++b) {
      const auto n = static_cast<size_t>(c.hidden);
      BatchEntry entry{c, m, d, std::vector<double>(n), std::vector<double>(n)};
      const int64_t state = (d * c.batch + b) * c.hidden;
      for (int64_t j = 0; j < c.hidden && c.has_states; ++j) {
        entry.h[static_cast<size_t>(j)] = entry.at(m.h0, state + j);
        if (c.op == "LSTM") entry.cell[static_cast<size_t>(j)] = entry.at(m.c0, state + j);
      }
      const int64_t length =
          c.has_lengths ? m.lengths.elements<int32_t>()[static_cast<size_t>(b)] : c.steps;
      for (int64_t i = 0; i < c.steps; ++i) {
        const bool backwards = c.reverse || d == 1;
        const int64_t t = i >= length ? i : backwards ? length - 1 - i : i;
        if (i < length) entry.step(t, b);
        for (int64_t j = 0; j < c.hidden; ++j) {
          const double expected = i < length ? entry.h[static_cast<size_t>(j)] : 0;
          check_number((*outputs)[0], ((t * c.directions + d) * c.batch + b) * c.hidden + j,
                       expected);
        }
      }
      for (int64_t j = 0; j < c.hidden; ++j) {
        check_number((*outputs)[1], state + j, entry.h[static_cast<size_t>(j)]);
        if (c.op == "LSTM")
          check_number((*outputs)[2], state + j, entry.cell[static_cast<size_t>(j)]);
      }
    }
  }
}

void check_equations(const CellCase& c, uint32_t seed) {
  check_in("", c, seed);
  check_in(std::string(kInternalDomain), c, seed);
}

TEST(recurrent, cells_follow_their_equations) {
  uint32_t seed = 50;
  for (const auto& [op, gates] : {std::pair{"RNN", 1}, {"GRU", 3}, {"LSTM", 4}}) {
    CellCase plain{op, static_cast<size_t>(gates)};
    check_equations(plain, ++seed);
    CellCase both = plain;
    both.directions = 2;
    both.has_lengths = both.has_states = true;
    check_equations(both, ++seed);
    CellCase backwards = plain;
    backwards.reverse = backwards.has_lengths = true;
    backwards.clip = 0.4;
    check_equations(backwards, ++seed);
    CellCase wide = plain;
    wide.batch = 3;
    wide.hidden = 70;
    wide.has_states = true;
    check_equations(wide, ++seed);
  }
  CellCase linear{"GRU", 3};
  linear.linear = linear.has_states = true;
  linear.directions = 2;
  check_equations(linear, ++seed);
  CellCase holes{"LSTM", 4};
  holes.has_peepholes = holes.has_states = true;
  check_equations(holes, ++seed);
  holes.input_forget = true;
  holes.clip = 0.5;
  check_equations(holes, ++seed);
}

Tensor swap_first_axes(const Tensor& x) {
  return run_one({"Transpose", 18, {Attribute::of_ints("perm", {1, 0, 2})}}, {x});
}

TEST(recurrent, the_batch_may_come_first) {
  Random random(70);
  CellCase c{"GRU", 3};
  c.directions = 2;
  c.has_states = true;
  const Model m = random_model(c, random);
  auto attributes = cell_attributes(c);
  const auto time_first = run_op({"GRU", 14, attributes, 2}, {m.x, m.w, m.r, m.b, {}, m.h0});
  attributes.push_back(Attribute::of_int("layout", 1));
  const auto batch_first = run_op({"GRU", 14, attributes, 2},
                                  {swap_first_axes(m.x), m.w, m.r, m.b, {}, swap_first_axes(m.h0)});
  CHECK_OK(time_first);
  CHECK_OK(batch_first);
  const Tensor y =
      run_one({"Transpose", 18, {Attribute::of_ints("perm", {2, 0, 1, 3})}}, {(*time_first)[0]});
  CHECK(same_bits(y, (*batch_first)[0]));
  CHECK(same_bits(swap_first_axes((*time_first)[1]), (*batch_first)[1]));
}

Attribute names_of(const char* name) {
  Attribute attribute;
  attribute.name = "activations";
  attribute.kind = AttributeKind::kStrings;
  attribute.strings = {Blob::from_string(name)};
  return attribute;
}

TEST(recurrent, activations_take_their_numbers_in_turn) {
  const Tensor x = tensor<float>({1, 1, 1}, {2}), w = tensor<float>({1, 1, 1}, {1});
  const auto run = [&](const char* name, float alpha, float beta) {
    const Op op{"RNN",
                14,
                {names_of(name), Attribute::of_floats("activation_alpha", {alpha}),
                 Attribute::of_floats("activation_beta", {beta})}};
    return static_cast<double>(run_one(op, {x, w, w}).elements<float>()[0]);
  };
  CHECK_NEAR(run("Affine", 3, 1), 7.0, 1e-6, 0);
  CHECK_NEAR(run("affine", 3, 1), 7.0, 1e-6, 0);
  CHECK_NEAR(run("LeakyRelu", 3, 1), 2.0, 1e-6, 0);
  CHECK_NEAR(run("ThresholdedRelu", 3, 1), 0.0, 0, 1e-6);
  CHECK_NEAR(run("ScaledTanh", 2, 0.5f), 2 * std::tanh(1.0), 1e-6, 0);
  CHECK_NEAR(run("HardSigmoid", 0.25f, 0.25f), 0.75, 1e-6, 0);
  CHECK_NEAR(run("Elu", 1, 0), 2.0, 1e-6, 0);
  CHECK_NEAR(run("Softsign", 1, 0), 2.0 / 3, 1e-6, 0);
  CHECK_NEAR(run("Softplus", 1, 0), std::log1p(std::exp(2.0)), 1e-6, 0);
  for (const char* name : {"RNN", "GRU", "LSTM"}) {
    const Op op{name, 14, {Attribute::of_int("layout", 2)}};
    CHECK_CODE(run_op(op, {x, w, w}), Code::kInvalidGraph);
  }
  const Op unknown{"RNN", 14, {names_of("Cube")}};
  CHECK_CODE(run_op(unknown, {x, w, w}), Code::kInvalidGraph);
}

TEST(recurrent, refuses_shapes_and_lengths_that_do_not_fit) {
  Random random(71);
  const CellCase c{"LSTM", 4};
  const Model m = random_model(c, random);
  const Op op{"LSTM", 14, {}, 3};
  CHECK_CODE(run_op(op, {m.x, m.w, random.floats({1, 24, 5})}), Code::kInvalidArgument);
  CHECK_CODE(run_op(op, {m.x, random.floats({1, 24, 5}), m.r}), Code::kInvalidArgument);
  CHECK_CODE(run_op(op, {m.x, m.w, m.r, m.b, tensor<int32_t>({3}, {1, 6, 1})}),
             Code::kInvalidArgument);
  CHECK_CODE(run_op(op, {m.x, m.w, m.r, m.b, tensor<int32_t>({3}, {1, -1, 1})}),
             Code::kInvalidArgument);
}

// The cell's state goes on unclipped; what the last activation sees of it is clipped, as the
// operator's text says of the input of every activation.
TEST(recurrent, clips_what_activations_see_and_not_the_state) {
  const Op op{"LSTM", 14, {Attribute::of_float("clip", 0.5f)}, 3};
  const Tensor x = tensor<float>({1, 1, 1}, {1}), r = tensor<float>({1, 4, 1}, {0, 0, 0, 0});
  const Tensor w = tensor<float>({1, 4, 1}, {10, 10, 10, 10});
  const Tensor state = tensor<float>({1, 1, 1}, {3});
  const auto outputs = run_op(op, {x, w, r, Tensor(), Tensor(), state, state});
  CHECK_OK(outputs);
  const double gate = 1 / (1 + std::exp(-0.5)), cell = gate * 3 + gate * std::tanh(0.5);
  CHECK_NEAR(static_cast<double>((*outputs)[2].elements<float>()[0]), cell, 1e-6, 0);
  CHECK_NEAR(static_cast<double>((*outputs)[1].elements<float>()[0]), gate * std::tanh(0.5), 1e-6,
             0);
}

}  // namespace
}  // namespace ortc::test
