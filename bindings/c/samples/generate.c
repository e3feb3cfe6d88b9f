// SPDX-License-Identifier: MIT
// Tokens of a language model, the likeliest after each: generate MODEL.onnx COUNT TOKEN...
#include "generate.h"

#include <string.h>

enum { kMost = 1024 };  // tokens

// docs: begin
/// One buffer for past and present of each layer: a run appends to it in place.
static void bind_cache(OrtIoBinding* binding, const OrtSession* session, int64_t length) {
  OrtAllocator* allocator = NULL;
  size_t count = 0;
  check(OrtGetAllocatorWithDefaultOptions(&allocator));
  check(OrtSessionGetInputCount(session, &count));
  for (size_t i = 0; i < count; i++) {
    char *past = NULL, present[64];
    check(OrtSessionGetInputName(session, i, allocator, &past));
    if (sscanf(past, "past_key_values.%55s", present + 8) == 1) {
      int64_t shape[4] = {1, 0, length, 0};
      input_shape(session, i, shape);  // [batch_size, heads, past_sequence_length, width]
      float* cache = calloc((size_t)(shape[1] * length * shape[3]), sizeof(float));
      if (cache == NULL) exit(1);  // else kept until the program ends
      OrtValue* value = tensor_over(cache, shape, 4);
      check(OrtBindInput(binding, past, value));
      check(OrtBindOutput(binding, memcpy(present, "present.", 8), value));
      OrtReleaseValue(value);
    }
    check(OrtAllocatorFree(allocator, past));
  }
}

int main(int argc, char** argv) {
  int64_t ids[kMost], ones[kMost], now = argc - 3, past = 0;
  if (now < 1 || now + atoi(argv[2]) > kMost) return 2;
  for (int i = 0; i < kMost; i++) ones[i] = 1;
  for (int i = 0; i < now; i++) ids[i] = atoll(argv[3 + i]);
  OrtEnv* env = NULL;
  OrtSession* session = NULL;
  OrtIoBinding* binding = NULL;
  OrtSessionOptions* options = options_with_aot();
  check(OrtCreateEnv(ORT_LOGGING_LEVEL_WARNING, "generate", &env));
  check(OrtCreateSession(env, argv[1], options, &session));
  check(OrtCreateIoBinding(session, &binding));
  bind_cache(binding, session, now + atoi(argv[2]));
  for (int i = 0; i < atoi(argv[2]); i++, now = 1) {  // first the prompt, then token by token
    bind_numbers(binding, "input_ids", ids + past, now);
    bind_numbers(binding, "attention_mask", ones, past + now);
    ids[past + now] = likeliest(session, binding, now);
    past += now;
    printf(i == 0 ? "%d" : " %d", (int)ids[past]);
  }
  printf("\n");
  OrtReleaseIoBinding(binding);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}
// docs: end
