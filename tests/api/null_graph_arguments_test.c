// SPDX-License-Identifier: MIT
// Every function about graphs, their nodes and values, and about kernels, that gives a status,
// called with nothing but NULL and zeros: a status that says so, and never a crash.
#include "tests/api/null_testing.h"

static void test_null__is_refused_by_kernel_contexts(void** state) {
  (void)state;
  REFUSES(OrtKernelContext_GetInputCount(NULL, NULL));
  REFUSES(OrtKernelContext_GetOutputCount(NULL, NULL));
  REFUSES(OrtKernelContext_GetInput(NULL, 0, NULL));
  REFUSES(OrtKernelContext_GetOutput(NULL, 0, NULL, 0, NULL));
  REFUSES(OrtKernelContext_GetGPUComputeStream(NULL, NULL));
  REFUSES(OrtKernelContext_GetLogger(NULL, NULL));
  REFUSES(OrtKernelContext_GetAllocator(NULL, NULL, NULL));
  REFUSES(OrtKernelContext_GetResource(NULL, 0, 0, NULL));
  REFUSES(OrtKernelContext_ParallelFor(NULL, NULL, 0, 0, NULL));
  REFUSES(OrtKernelContext_GetScratchBuffer(NULL, NULL, 0, NULL));
  REFUSES(OrtKernelContext_GetSyncStream(NULL, NULL));
}

static void test_null__is_refused_by_graph(void** state) {
  (void)state;
  REFUSES(OrtLoadGraph(NULL, NULL, NULL));
  REFUSES(OrtLoadGraphFromArray(NULL, NULL, 0, NULL));
  REFUSES(OrtGraph_GetName(NULL, NULL));
  REFUSES(OrtGraph_GetModelPath(NULL, NULL));
  REFUSES(OrtGraph_GetOnnxIRVersion(NULL, NULL));
  REFUSES(OrtGraph_GetNumOperatorSets(NULL, NULL));
  REFUSES(OrtGraph_GetOperatorSets(NULL, NULL, NULL, 0));
  REFUSES(OrtGraph_GetNumInputs(NULL, NULL));
  REFUSES(OrtGraph_GetInputs(NULL, NULL, 0));
  REFUSES(OrtGraph_GetNumOutputs(NULL, NULL));
  REFUSES(OrtGraph_GetOutputs(NULL, NULL, 0));
  REFUSES(OrtGraph_GetNumInitializers(NULL, NULL));
  REFUSES(OrtGraph_GetInitializers(NULL, NULL, 0));
  REFUSES(OrtGraph_GetNumNodes(NULL, NULL));
  REFUSES(OrtGraph_GetNodes(NULL, NULL, 0));
  REFUSES(OrtGraph_GetParentNode(NULL, NULL));
  REFUSES(OrtGraph_GetGraphView(NULL, NULL, 0, NULL));
  REFUSES(OrtGraph_GetModelMetadata(NULL, NULL));
  REFUSES(OrtNode_GetId(NULL, NULL));
  REFUSES(OrtNode_GetName(NULL, NULL));
  REFUSES(OrtNode_GetOperatorType(NULL, NULL));
  REFUSES(OrtNode_GetDomain(NULL, NULL));
  REFUSES(OrtNode_GetSinceVersion(NULL, NULL));
  REFUSES(OrtNode_GetNumInputs(NULL, NULL));
  REFUSES(OrtNode_GetInputs(NULL, NULL, 0));
  REFUSES(OrtNode_GetNumOutputs(NULL, NULL));
  REFUSES(OrtNode_GetOutputs(NULL, NULL, 0));
  REFUSES(OrtNode_GetNumImplicitInputs(NULL, NULL));
  REFUSES(OrtNode_GetImplicitInputs(NULL, NULL, 0));
  REFUSES(OrtNode_GetNumAttributes(NULL, NULL));
  REFUSES(OrtNode_GetAttributes(NULL, NULL, 0));
  REFUSES(OrtNode_GetAttributeByName(NULL, NULL, NULL));
  REFUSES(OrtNode_GetNumSubgraphs(NULL, NULL));
  REFUSES(OrtNode_GetSubgraphs(NULL, NULL, 0, NULL));
  REFUSES(OrtNode_GetGraph(NULL, NULL));
  REFUSES(OrtNode_GetEpName(NULL, NULL));
}

static void test_null__is_refused_by_value_info(void** state) {
  (void)state;
  REFUSES(OrtGetValueInfoName(NULL, NULL));
  REFUSES(OrtGetValueInfoTypeInfo(NULL, NULL));
  REFUSES(OrtValueInfo_GetValueProducer(NULL, NULL, NULL));
  REFUSES(OrtValueInfo_GetValueNumConsumers(NULL, NULL));
  REFUSES(OrtValueInfo_GetValueConsumers(NULL, NULL, NULL, 0));
  REFUSES(OrtValueInfo_GetInitializerValue(NULL, NULL));
  REFUSES(OrtValueInfo_GetExternalInitializerInfo(NULL, NULL));
  REFUSES(OrtValueInfo_IsRequiredGraphInput(NULL, NULL));
  REFUSES(OrtValueInfo_IsOptionalGraphInput(NULL, NULL));
  REFUSES(OrtValueInfo_IsGraphOutput(NULL, NULL));
  REFUSES(OrtValueInfo_IsConstantInitializer(NULL, NULL));
  REFUSES(OrtValueInfo_IsFromOuterScope(NULL, NULL));
  REFUSES(OrtCreateExternalInitializerInfo(NULL, 0, 0, NULL));
}

static void test_null__is_refused_by_op_attr(void** state) {
  (void)state;
  REFUSES(OrtCreateOpAttr(NULL, NULL, 0, (OrtOpAttrType)0, NULL));
  REFUSES(OrtReadOpAttr(NULL, (OrtOpAttrType)0, NULL, 0, NULL));
  REFUSES(OrtOpAttr_GetType(NULL, NULL));
  REFUSES(OrtOpAttr_GetName(NULL, NULL));
  REFUSES(OrtOpAttr_GetTensorAttributeAsOrtValue(NULL, NULL));
}

static void test_null__is_refused_by_custom_ops(void** state) {
  (void)state;
  REFUSES(OrtCreateCustomOpDomain(NULL, NULL));
  REFUSES(OrtCustomOpDomain_Add(NULL, NULL));
  REFUSES(OrtAddCustomOpDomain(NULL, NULL));
  REFUSES(OrtRegisterCustomOpsLibrary(NULL, NULL, NULL));
  REFUSES(OrtRegisterCustomOpsLibrary_V2(NULL, NULL));
  REFUSES(OrtRegisterCustomOpsUsingFunction(NULL, NULL));
  REFUSES(OrtEnableOrtCustomOps(NULL));
  REFUSES(OrtShapeInferContext_GetInputCount(NULL, NULL));
  REFUSES(OrtShapeInferContext_GetInputTypeShape(NULL, 0, NULL));
  REFUSES(OrtShapeInferContext_GetAttribute(NULL, NULL, NULL));
  REFUSES(OrtShapeInferContext_SetOutputTypeShape(NULL, 0, NULL));
}

static void test_null__is_refused_by_kernel_info(void** state) {
  (void)state;
  REFUSES(OrtKernelInfo_GetNodeName(NULL, NULL, NULL));
  REFUSES(OrtKernelInfo_GetOperatorType(NULL, NULL, NULL));
  REFUSES(OrtKernelInfo_GetOperatorDomain(NULL, NULL, NULL));
  REFUSES(OrtKernelInfo_GetOperatorSinceVersion(NULL, NULL));
  REFUSES(OrtKernelInfo_GetInputCount(NULL, NULL));
  REFUSES(OrtKernelInfo_GetOutputCount(NULL, NULL));
  REFUSES(OrtKernelInfo_GetInputName(NULL, 0, NULL, NULL));
  REFUSES(OrtKernelInfo_GetOutputName(NULL, 0, NULL, NULL));
  REFUSES(OrtKernelInfo_GetInputTypeInfo(NULL, 0, NULL));
  REFUSES(OrtKernelInfo_GetOutputTypeInfo(NULL, 0, NULL));
  REFUSES(OrtKernelInfoGetConstantInput_tensor(NULL, 0, NULL, NULL));
  REFUSES(OrtKernelInfoGetAttribute_float(NULL, NULL, NULL));
  REFUSES(OrtKernelInfoGetAttribute_int64(NULL, NULL, NULL));
  REFUSES(OrtKernelInfoGetAttribute_string(NULL, NULL, NULL, NULL));
  REFUSES(OrtKernelInfoGetAttributeArray_float(NULL, NULL, NULL, NULL));
  REFUSES(OrtKernelInfoGetAttributeArray_int64(NULL, NULL, NULL, NULL));
  REFUSES(OrtKernelInfoGetAttributeArray_string(NULL, NULL, NULL, NULL, NULL));
  REFUSES(OrtKernelInfoGetAttribute_tensor(NULL, NULL, NULL, NULL));
  REFUSES(OrtKernelInfo_GetLogger(NULL, NULL));
  REFUSES(OrtKernelInfoGetAllocator(NULL, (OrtMemType)0, NULL));
  REFUSES(OrtKernelInfo_GetConfigEntries(NULL, NULL));
  REFUSES(OrtCopyKernelInfo(NULL, NULL));
  REFUSES(OrtCreateOp(NULL, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, 0, 0, NULL));
  REFUSES(OrtInvokeOp(NULL, NULL, NULL, 0, NULL, 0));
}

static void test_null__is_refused_by_model_editor(void** state) {
  (void)state;
  REFUSES(OrtCreateTensorTypeInfo(NULL, NULL));
  REFUSES(OrtCreateSparseTensorTypeInfo(NULL, NULL));
  REFUSES(OrtCreateMapTypeInfo((ONNXTensorElementDataType)0, NULL, NULL));
  REFUSES(OrtCreateSequenceTypeInfo(NULL, NULL));
  REFUSES(OrtCreateOptionalTypeInfo(NULL, NULL));
  REFUSES(OrtCreateValueInfo(NULL, NULL, NULL));
  REFUSES(OrtCreateNode(NULL, NULL, NULL, NULL, 0, NULL, 0, NULL, 0, NULL));
  REFUSES(OrtCreateGraph(NULL));
  REFUSES(OrtSetGraphInputs(NULL, NULL, 0));
  REFUSES(OrtSetGraphOutputs(NULL, NULL, 0));
  REFUSES(OrtAddInitializerToGraph(NULL, NULL, NULL, false));
  REFUSES(OrtAddNodeToGraph(NULL, NULL));
  REFUSES(OrtCreateModel(NULL, NULL, 0, NULL));
  REFUSES(OrtAddGraphToModel(NULL, NULL));
  REFUSES(OrtCreateSessionFromModel(NULL, NULL, NULL, NULL));
  REFUSES(OrtModelCompilationOptions_SetInputModel(NULL, NULL));
  REFUSES(OrtCreateModelEditorSession(NULL, NULL, NULL, NULL));
  REFUSES(OrtCreateModelEditorSessionFromArray(NULL, NULL, 0, NULL, NULL));
  REFUSES(OrtSessionGetOpsetForDomain(NULL, NULL, NULL));
  REFUSES(OrtApplyModelToModelEditorSession(NULL, NULL));
  REFUSES(OrtFinalizeModelEditorSession(NULL, NULL, NULL));
}

static void test_null__was_given_to_every_function(void** state) {
  (void)state;
  assert_int_equal(calls, count_functions().of_graphs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_null__is_refused_by_kernel_contexts),
      cmocka_unit_test(test_null__is_refused_by_graph),
      cmocka_unit_test(test_null__is_refused_by_value_info),
      cmocka_unit_test(test_null__is_refused_by_op_attr),
      cmocka_unit_test(test_null__is_refused_by_custom_ops),
      cmocka_unit_test(test_null__is_refused_by_kernel_info),
      cmocka_unit_test(test_null__is_refused_by_model_editor),
      cmocka_unit_test(test_null__was_given_to_every_function),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
