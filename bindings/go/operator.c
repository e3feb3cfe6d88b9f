// SPDX-License-Identifier: MIT
// Operators of the program for C: what they declare is answered here, the rest calls Go.
#include "_cgo_export.h"
#include "capi.h"

static const OrtcGoOperator* of(const OrtCustomOp* op) { return (const OrtcGoOperator*)op; }

static const char* name(const OrtCustomOp* op) { return of(op)->name; }
static const char* provider(const OrtCustomOp* op) { return of(op)->provider; }
static size_t input_count(const OrtCustomOp* op) { return of(op)->inputs.count; }
static size_t output_count(const OrtCustomOp* op) { return of(op)->outputs.count; }
static ONNXTensorElementDataType input_type(const OrtCustomOp* op, size_t i) {
  return of(op)->inputs.formals[i].type;
}
static ONNXTensorElementDataType output_type(const OrtCustomOp* op, size_t i) {
  return of(op)->outputs.formals[i].type;
}
static OrtCustomOpInputOutputCharacteristic input_kind(const OrtCustomOp* op, size_t i) {
  return of(op)->inputs.formals[i].kind;
}
static OrtCustomOpInputOutputCharacteristic output_kind(const OrtCustomOp* op, size_t i) {
  return of(op)->outputs.formals[i].kind;
}
static int input_least(const OrtCustomOp* op) { return of(op)->inputs.least; }
static int output_least(const OrtCustomOp* op) { return of(op)->outputs.least; }
static int input_of_one(const OrtCustomOp* op) { return of(op)->inputs.is_of_one_type; }
static int output_of_one(const OrtCustomOp* op) { return of(op)->outputs.is_of_one_type; }
static int first_version(const OrtCustomOp* op) { return of(op)->first_version; }
static int last_version(const OrtCustomOp* op) { return of(op)->last_version; }

static OrtStatus* create(const OrtCustomOp* op, const OrtApi* api, const OrtKernelInfo* info,
                         void** kernel) {
  (void)api;
  uintptr_t handle = 0;
  OrtStatus* status = ortcGoCreateKernel(of(op)->state, (OrtKernelInfo*)info, &handle);
  if (status == NULL) *kernel = (void*)handle;
  return status;
}

static OrtStatus* compute(void* kernel, OrtKernelContext* context) {
  return ortcGoCompute((uintptr_t)kernel, context);
}

static void destroy(void* kernel) { ortcGoDestroyKernel((uintptr_t)kernel); }

static OrtStatus* infer(const OrtCustomOp* op, OrtShapeInferContext* context) {
  return ortcGoInferShapes(of(op)->state, context);
}

OrtcGoOperator* ortc_new_operator(uintptr_t state, int infers_shapes) {
  OrtcGoOperator* op = calloc(1, sizeof(*op));
  if (op == NULL) return NULL;
  op->state = state;
  op->base.version = 18;  // which has all members
  op->base.GetName = name;
  op->base.GetExecutionProviderType = provider;
  op->base.GetInputTypeCount = input_count;
  op->base.GetInputType = input_type;
  op->base.GetInputCharacteristic = input_kind;
  op->base.GetVariadicInputMinArity = input_least;
  op->base.GetVariadicInputHomogeneity = input_of_one;
  op->base.GetOutputTypeCount = output_count;
  op->base.GetOutputType = output_type;
  op->base.GetOutputCharacteristic = output_kind;
  op->base.GetVariadicOutputMinArity = output_least;
  op->base.GetVariadicOutputHomogeneity = output_of_one;
  op->base.CreateKernelV2 = create;
  op->base.KernelComputeV2 = compute;
  op->base.KernelDestroy = destroy;
  op->base.InferOutputShapeFn = infers_shapes ? infer : NULL;
  op->base.GetStartVersion = first_version;
  op->base.GetEndVersion = last_version;
  return op;
}

OrtcGoFormal* ortc_new_formals(OrtcGoSide* side, size_t count) {
  side->formals = calloc(count != 0 ? count : 1, sizeof(*side->formals));
  if (side->formals != NULL) side->count = count;
  return side->formals;
}

void ortc_free_operator(OrtcGoOperator* op) {
  free(op->name);
  free(op->provider);
  free(op->inputs.formals);
  free(op->outputs.formals);
  free(op);
}

OrtStatus* ortc_add_operator(OrtCustomOpDomain* domain, const OrtcGoOperator* op) {
  return OrtCustomOpDomain_Add(domain, &op->base);
}

static void step(void* state, size_t index) { ortcGoStep((uintptr_t)state, index); }

OrtStatus* ortc_parallel_for(const OrtKernelContext* context, size_t total, size_t batches,
                             uintptr_t state) {
  return OrtKernelContext_ParallelFor(context, step, total, batches, (void*)state);
}
