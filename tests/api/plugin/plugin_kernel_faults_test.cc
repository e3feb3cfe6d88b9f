// SPDX-License-Identifier: MIT
// What libraries do wrong with kernels: each is an error that says what, or does no harm.
#include "ort_c/ort_api.h"
#include "tests/api/plugin/kernel_testing.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// The session is refused, and nothing of the library stays.
void check_refused(const std::string& model, std::initializer_list<Fault> faults,
                   const char* shares = "0") {
  const KernelSetting setting;
  const int before = kernel_number("alive");
  for (const Fault& fault : faults) {
    const Options options = setting.options(fault.name);
    set_entry(options, "ep.kernellibraryep.shares", shares);
    OwnSession session;
    CHECK(make_session(setting.env, model, options, &session).has(fault.code, fault.text));
    CHECK(session == nullptr);
    CHECK_EQ(kernel_number("alive"), before);
  }
}

void check_run_fails(const std::string& model, std::initializer_list<Fault> faults,
                     const std::vector<int64_t>& dims = {4}) {
  const KernelSetting setting;
  for (const Fault& fault : faults) {
    OwnSession session;
    CHECK(setting.try_session(model, fault.name, &session).is_ok());
    std::vector<float> x(dims.size() == 2 ? 6 : 4, 1.0f), y;
    CHECK(run_floats(session.get(), x, &y, dims).has(fault.code, fault.text));
  }
}

// Everything runs elsewhere.
void check_left(const char* fault) {
  const KernelSetting setting;
  const Options options = setting.options(fault);
  set_entry(options, "session.record_ep_graph_assignment_info", "1");
  OwnSession session;
  CHECK(make_session(setting.env, mul_add_relu_neg(), options, &session).is_ok());
  CHECK_EQ(nodes_of(session.get(), kKernelEp), "");
  std::vector<float> y;
  CHECK(run_floats(session.get(), kSignedX, &y).is_ok());
  CHECK(y == std::vector<float>({-3, -0.0f, -9, -0.0f}));
}

}  // namespace

TEST(plugin_kernel_faults, refuse_a_registry_that_cannot_be) {
  check_refused(mul_add_relu_neg(),
                {{"registry_error", ORT_NOT_FOUND, "no registry today"},
                 {"registry_throws", ORT_EP_FAIL, "GetKernelRegistry: it threw"},
                 {"no_such_type", ORT_INVALID_ARGUMENT, "not the type of an element"},
                 {"foreign_type", ORT_INVALID_ARGUMENT, "'types[0]' is not a type"},
                 {"no_operator", ORT_INVALID_ARGUMENT, "no operator"},
                 {"kernel_twice", ORT_FAIL, "registered already"}});
}

TEST(plugin_kernel_faults, refuse_claims_that_cannot_be) {
  check_refused(mul_add_relu_neg(),
                {{"foreign_node", ORT_INVALID_ARGUMENT, "'node' is not a node of the graph"},
                 {"foreign_look_up", ORT_INVALID_ARGUMENT, "'node' is not a node of the graph"},
                 {"unknown_parameter", ORT_FAIL, "restricted by 'Q'"},
                 {"claims_all", ORT_NOT_IMPLEMENTED, "has no kernel for Neg of version 13"}});
}

TEST(plugin_kernel_faults, refuse_kernels_that_are_not_made) {
  check_refused(mul_add_relu_neg(),
                {{"create_error", ORT_NOT_FOUND, "no kernel today"},
                 {"create_late", ORT_NOT_FOUND, "failed too late"},
                 {"create_throws", ORT_EP_FAIL, "it threw: thrown while creating"},
                 {"create_null", ORT_EP_FAIL, "gave no OrtKernelImpl"},
                 {"no_compute", ORT_EP_FAIL, "lacks Compute or Release"},
                 {"some_flags", ORT_EP_FAIL, "has the flags 6, expected 0"},
                 {"control_flags", ORT_EP_FAIL, "has the flags 1, expected 0"}});
}

TEST(plugin_kernel_faults, refuse_weights_that_are_not_packed_well) {
  check_refused(mul_add_relu_neg(), {{"pack_error", ORT_NOT_FOUND, "input 1: "},
                                     {"pack_throws", ORT_EP_FAIL, "thrown while packing"}});
  check_refused(mul_add_relu_neg(),
                {{"pack_denies", ORT_EP_FAIL, "says that it packed none"},
                 {"no_take", ORT_EP_FAIL, "has no SetSharedPrePackedWeight"},
                 {"take_error", ORT_NOT_FOUND, "cannot take"},
                 {"store_twice", ORT_INVALID_ARGUMENT, "was stored already"}},
                "1");
}

TEST(plugin_kernel_faults, are_errors_of_a_run) {
  check_run_fails(mul_add_relu_neg(), {{"compute_error", ORT_NOT_FOUND, "cannot compute"},
                                       {"compute_throws", ORT_EP_FAIL, "thrown while computing"},
                                       {"no_output", ORT_EP_FAIL, "it gave no output 0"},
                                       {"no_such_output", ORT_INVALID_ARGUMENT, "'index' is 9"},
                                       {"wrong_shape", ORT_EP_FAIL, "output 0 was made with"}});
}

TEST(plugin_kernel_faults, of_control_flow_are_told) {
  check_refused(if_model(), {{"own_control_flow", ORT_EP_FAIL, "one that CreateIfKernel made"}});
  check_refused(loop_model(), {{"always_if", ORT_INVALID_ARGUMENT, "'kernel_info' belongs to Loop"},
                               {"no_concat", ORT_INVALID_ARGUMENT, "lacks ConcatOutput"},
                               {"old_helper", ORT_INVALID_ARGUMENT, "'helper' has version 23"}});
  check_run_fails(loop_model(), {{"concat_error", ORT_NOT_FOUND, "cannot concatenate"}});
  check_run_fails(scan_model(), {{"transpose_error", ORT_NOT_FOUND, "cannot transpose"}}, {2, 3});
}

TEST(plugin_kernel_faults, a_library_without_kernels_gets_no_nodes) {
  for (const char* fault : {"no_registry", "registry_ends", "old_ep", "other_provider"}) {
    check_left(fault);
  }
}

TEST(plugin_kernel_faults, a_kernel_older_than_packing_is_not_asked_to_pack) {
  const KernelSetting setting;
  const int before = kernel_number("packed");
  OwnSession session;
  CHECK(setting.try_session(mul_add_relu_neg(), "old_kernel", &session).is_ok());
  CHECK_EQ(kernel_number("packed"), before);
  std::vector<float> y;
  CHECK(run_floats(session.get(), kSignedX, &y).is_ok());
  CHECK(y == std::vector<float>({-3, -0.0f, -9, -0.0f}));
}

TEST(plugin_kernel_faults, a_node_that_is_asked_for_twice_has_one_kernel) {
  const KernelSetting setting;
  const int before = kernel_number("computed");
  OwnSession session;
  CHECK(setting.try_session(mul_add_relu_neg(), "node_twice", &session).is_ok());
  std::vector<float> y;
  CHECK(run_floats(session.get(), kSignedX, &y).is_ok());
  CHECK_EQ(kernel_number("computed"), before + 3);
}

TEST(plugin_kernel_faults, are_told_to_those_who_describe_kernels) {
  OrtKernelDefBuilder* builder = nullptr;
  CHECK(Outcome(ep_api().CreateKernelDefBuilder(&builder)).is_ok());
  CHECK(Outcome(ep_api().KernelDefBuilder_SetSinceVersion(builder, 0, 3))
            .has(ORT_INVALID_ARGUMENT, "'since_version_start' is 0"));
  CHECK(Outcome(ep_api().KernelDefBuilder_SetSinceVersion(builder, 4, 3))
            .has(ORT_INVALID_ARGUMENT, "'since_version_end' is 3"));
  CHECK(Outcome(ep_api().KernelDefBuilder_SetOperatorType(builder, nullptr))
            .has(ORT_INVALID_ARGUMENT, "'op_type' must not be NULL"));
  CHECK(Outcome(ep_api().KernelDefBuilder_AddTypeConstraint(builder, "T", nullptr, 1))
            .has(ORT_INVALID_ARGUMENT, "'types' must not be NULL"));
  const OrtDataType* none = nullptr;
  CHECK(Outcome(ep_api().KernelDefBuilder_AddTypeConstraint(builder, "T", &none, 0))
            .has(ORT_INVALID_ARGUMENT, "'num_types' is 0"));
  CHECK(Outcome(ep_api().KernelDefBuilder_AddTypeConstraint(builder, "T", &none, 1))
            .has(ORT_INVALID_ARGUMENT, "'types[0]' is not a type"));
  const int inputs[] = {0, -1}, outputs[] = {0, 0};
  CHECK(Outcome(ep_api().KernelDefBuilder_AddInputOutputAliases(builder, inputs, outputs, 2))
            .has(ORT_INVALID_ARGUMENT, "alias 1 has input -1"));
  CHECK(Outcome(ep_api().KernelDefBuilder_AddInputOutputMutableAliases(builder, inputs, outputs, 0))
            .has(ORT_INVALID_ARGUMENT, "'num_io_indices' is 0"));
  CHECK(Outcome(ep_api().KernelDefBuilder_AddInputOutputAliases(builder, inputs, outputs, 1))
            .is_ok());
  OrtKernelDef* def = nullptr;
  CHECK(Outcome(ep_api().KernelDefBuilder_Build(builder, &def))
            .has(ORT_INVALID_ARGUMENT, "the kernel has no operator"));
  CHECK(def == nullptr);
  ep_api().ReleaseKernelDefBuilder(builder);
}

TEST(plugin_kernel_faults, null_is_refused_or_does_nothing) {
  OrtKernelRegistry* registry = nullptr;
  CHECK(Outcome(ep_api().CreateKernelRegistry(&registry)).is_ok());
  CHECK(Outcome(ep_api().KernelRegistry_AddKernel(registry, nullptr, nullptr, nullptr))
            .has(ORT_INVALID_ARGUMENT, "'kernel_def' must not be NULL"));
  CHECK(Outcome(ep_api().CreateKernelRegistry(nullptr)).code == ORT_INVALID_ARGUMENT);
  OrtKernelImpl* kernel = nullptr;
  CHECK(Outcome(ep_api().CreateIfKernel(nullptr, &kernel)).code == ORT_INVALID_ARGUMENT);
  CHECK(Outcome(ep_api().CreateLoopKernel(nullptr, nullptr, &kernel)).code == ORT_INVALID_ARGUMENT);
  CHECK(Outcome(ep_api().CreateScanKernel(nullptr, nullptr, &kernel)).code == ORT_INVALID_ARGUMENT);
  size_t size = 1;
  CHECK(Outcome(ep_api().SharedPrePackedWeightCache_StoreWeightData(nullptr, nullptr, &size, 1))
            .code == ORT_INVALID_ARGUMENT);
  const OrtEp* ep = nullptr;
  CHECK(Outcome(ep_api().KernelInfo_GetEp(nullptr, &ep)).code == ORT_INVALID_ARGUMENT);
  ep_api().ReleaseKernelRegistry(registry);
  ep_api().ReleaseKernelRegistry(nullptr);
  ep_api().ReleaseKernelDef(nullptr);
  ep_api().ReleaseKernelDefBuilder(nullptr);
  ep_api().ReleaseKernelImpl(nullptr);
  CHECK(ep_api().KernelDef_GetOperatorType(nullptr) == nullptr);
}
