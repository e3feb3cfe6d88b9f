// SPDX-License-Identifier: MIT
// Attributes through the C interface: of nodes in views, and made by hand.
#include <climits>

#include "core/ops/op_list.h"
#include "core/ops/signatures/op_attributes.h"
#include "tests/api/graph_view_text.h"
#include "tests/core/graph/wire_model.h"

using namespace ortc;
using namespace ortc::test;
namespace w = ortc::wire;

namespace {

// A node of an operator that nobody knows, with an attribute of each kind.
std::string attributes_model() {
  const std::string two = std::string("\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0", 16);
  const std::string half = std::string("\0\0\0\x3f", 4);  // 0.5
  const w::Texts attributes = {
      w::attribute("int", 2, w::number_field(3, -5)),
      w::attribute("ints", 7, w::number_field(8, 7) + w::number_field(8, -8)),
      w::attribute("float", 1, std::string("\x15") + half),
      w::attribute("floats", 6, std::string("\x3d") + half + std::string("\x3d") + half),
      w::attribute("string", 3, w::field(4, std::string_view("a\0b", 3))),
      w::attribute("strings", 8, w::field(9, "one") + w::field(9, "")),
      w::attribute("tensor", 4, w::field(5, w::tensor("", 7, {2}, w::raw(two)))),
      w::attribute("tensors", 9, w::field(10, w::tensor("", 7, {2}, w::raw(two))))};
  return w::model(w::graph({w::node("Unheard", {"x"}, {"y"}, attributes, "node", "local")},
                           {w::value("x", 1, {2})}, {w::value("y", 1, {2})}));
}

const OrtOpAttr* attribute_of(const Loaded& model, const char* name) {
  const OrtOpAttr* attribute = nullptr;
  CHECK_C(OrtNode_GetAttributeByName(model.node("node"), name, &attribute));
  return attribute;
}

// The content: its size first, then with exactly that much room.
std::string content_of(const OrtOpAttr* attribute, OrtOpAttrType type) {
  OrtOpAttrType found{};
  CHECK_C(OrtOpAttr_GetType(attribute, &found));
  CHECK_EQ(static_cast<int>(found), static_cast<int>(type));
  size_t size = 0;
  OrtStatus* status = OrtReadOpAttr(attribute, type, nullptr, 0, &size);
  if (size != 0) CHECK_EQ(static_cast<int>(OrtGetErrorCode(status)), ORT_INVALID_ARGUMENT);
  OrtReleaseStatus(status);
  std::string content(size, '?');
  size = 0;
  CHECK_C(OrtReadOpAttr(attribute, type, content.data(), content.size(), &size));
  CHECK_EQ(size, content.size());
  return content;
}

template <typename T>
std::vector<T> numbers_of(const OrtOpAttr* attribute, OrtOpAttrType type) {
  const std::string content = content_of(attribute, type);
  std::vector<T> numbers(content.size() / sizeof(T));
  std::memcpy(numbers.data(), content.data(), content.size());
  return numbers;
}

struct Made {
  Made(const char* name, const void* data, int length, OrtOpAttrType type) {
    CHECK_C(OrtCreateOpAttr(name, data, length, type, &attribute));
  }
  ~Made() { OrtReleaseOpAttr(attribute); }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  OrtOpAttr* attribute = nullptr;
};

}  // namespace

TEST(op_attr, gives_numbers_and_texts) {
  const Loaded model(attributes_model());
  CHECK((numbers_of<int64_t>(attribute_of(model, "int"), ORT_OP_ATTR_INT) ==
         std::vector<int64_t>{-5}));
  CHECK((numbers_of<int64_t>(attribute_of(model, "ints"), ORT_OP_ATTR_INTS) ==
         std::vector<int64_t>{7, -8}));
  CHECK((numbers_of<float>(attribute_of(model, "float"), ORT_OP_ATTR_FLOAT) ==
         std::vector<float>{0.5f}));
  CHECK((numbers_of<float>(attribute_of(model, "floats"), ORT_OP_ATTR_FLOATS) ==
         std::vector<float>{0.5f, 0.5f}));
  CHECK_EQ(content_of(attribute_of(model, "string"), ORT_OP_ATTR_STRING), std::string("a\0b", 3));
  CHECK_EQ(content_of(attribute_of(model, "strings"), ORT_OP_ATTR_STRINGS),
           std::string("one\0\0", 5));
}

TEST(op_attr, gives_tensors) {
  const Loaded model(attributes_model());
  OrtValue* tensor = nullptr;
  CHECK_C(OrtOpAttr_GetTensorAttributeAsOrtValue(attribute_of(model, "tensor"), &tensor));
  const void* data = nullptr;
  CHECK_C(OrtGetTensorData(tensor, &data));
  CHECK(static_cast<const int64_t*>(data)[1] == 2);
  // What the caller writes is its own.
  static_cast<int64_t*>(const_cast<void*>(data))[1] = 7;
  OrtValue* again = nullptr;
  CHECK_C(OrtOpAttr_GetTensorAttributeAsOrtValue(attribute_of(model, "tensor"), &again));
  CHECK_C(OrtGetTensorData(again, &data));
  CHECK(static_cast<const int64_t*>(data)[1] == 2);
  OrtReleaseValue(again);
  OrtReleaseValue(tensor);
  tensor = nullptr;
  CHECK_C_CODE(OrtOpAttr_GetTensorAttributeAsOrtValue(attribute_of(model, "ints"), &tensor),
               ORT_INVALID_ARGUMENT);
  CHECK(tensor == nullptr);
}

TEST(op_attr, of_kinds_without_a_name_are_undefined) {
  const Loaded model(attributes_model());
  OrtOpAttrType type = ORT_OP_ATTR_INT;
  CHECK_C(OrtOpAttr_GetType(attribute_of(model, "tensors"), &type));
  CHECK_EQ(static_cast<int>(type), ORT_OP_ATTR_UNDEFINED);
  size_t size = 1;
  CHECK_C_CODE(
      OrtReadOpAttr(attribute_of(model, "tensors"), ORT_OP_ATTR_UNDEFINED, nullptr, 0, &size),
      ORT_INVALID_ARGUMENT);
  CHECK_EQ(size, 0u);
}

TEST(op_attr, refuses_another_type) {
  const Loaded model(attributes_model());
  int64_t number = 0;
  size_t size = 1;
  for (int type = ORT_OP_ATTR_UNDEFINED; type <= ORT_OP_ATTR_TENSOR + 1; ++type) {
    if (type == ORT_OP_ATTR_INT) continue;
    CHECK_C_CODE(OrtReadOpAttr(attribute_of(model, "int"), static_cast<OrtOpAttrType>(type),
                               &number, sizeof number, &size),
                 ORT_INVALID_ARGUMENT);
  }
  const OrtOpAttr* attribute = attribute_of(model, "int");
  CHECK_C_CODE(OrtNode_GetAttributeByName(model.node("node"), "none", &attribute), ORT_NOT_FOUND);
  CHECK(attribute == nullptr);
}

TEST(op_attr, left_out_is_told_from_one_that_does_not_exist) {
  const Loaded model(w::model(w::graph({w::node("LeakyRelu", {"x"}, {"y"}, {}, "node")},
                                       {w::value("x", 1, {2})}, {w::value("y", 1, {2})})));
  const OrtOpAttr* attribute = nullptr;
  CHECK_C(OrtNode_GetAttributeByName(model.node("node"), "alpha", &attribute));
  CHECK(attribute == nullptr);
  CHECK_C_CODE(OrtNode_GetAttributeByName(model.node("node"), "alph", &attribute), ORT_NOT_FOUND);
  CHECK_C_CODE(OrtNode_GetAttributeByName(model.node("node"), "", &attribute), ORT_NOT_FOUND);
}

TEST(op_attr, of_every_required_name_is_known) {
  for (const OpRow& row : op_rows()) {
    if (!row.domain.empty() && row.domain != "ai.onnx.ml") continue;
    for (std::string_view rest = row.required; !rest.empty();) {
      const std::string_view name = rest.substr(0, rest.find(','));
      if (!may_have_attribute(row.domain, row.name, name)) {
        check_failed(__FILE__, __LINE__, str_cat(row.name, " lacks ", name));
      }
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    }
  }
}

TEST(op_attr, is_made_of_what_is_given) {
  const int64_t ints[] = {1, INT64_MIN};
  const float floats[] = {1.5f, -2.0f};
  const char* texts[] = {"a", "bc"};
  const Made one("i", ints + 1, 0, ORT_OP_ATTR_INT), list("is", ints, 2, ORT_OP_ATTR_INTS),
      real("f", floats, 1, ORT_OP_ATTR_FLOAT), reals("fs", floats, 2, ORT_OP_ATTR_FLOATS),
      text("s", "x\0y", 3, ORT_OP_ATTR_STRING), many("ss", texts, 2, ORT_OP_ATTR_STRINGS),
      none("none", nullptr, 0, ORT_OP_ATTR_INTS);
  CHECK_EQ(text_from<OrtOpAttr>(one.attribute, OrtOpAttr_GetName), "i");
  CHECK_EQ(numbers_of<int64_t>(one.attribute, ORT_OP_ATTR_INT)[0], INT64_MIN);
  CHECK_EQ(numbers_of<int64_t>(list.attribute, ORT_OP_ATTR_INTS)[1], INT64_MIN);
  CHECK_EQ(numbers_of<float>(real.attribute, ORT_OP_ATTR_FLOAT)[0], 1.5f);
  CHECK_EQ(numbers_of<float>(reals.attribute, ORT_OP_ATTR_FLOATS)[1], -2.0f);
  CHECK_EQ(content_of(text.attribute, ORT_OP_ATTR_STRING), std::string("x\0y", 3));
  CHECK_EQ(content_of(many.attribute, ORT_OP_ATTR_STRINGS), std::string("a\0bc\0", 5));
  CHECK_EQ(content_of(none.attribute, ORT_OP_ATTR_INTS), "");
}

TEST(op_attr, is_not_made_of_nothing) {
  const int64_t number = 1;
  const char* texts[] = {"a", nullptr};
  OrtOpAttr* attribute = nullptr;
  CHECK_C_CODE(OrtCreateOpAttr("", &number, 1, ORT_OP_ATTR_INT, &attribute), ORT_INVALID_ARGUMENT);
  CHECK_C_CODE(OrtCreateOpAttr("a", nullptr, 1, ORT_OP_ATTR_INT, &attribute), ORT_INVALID_ARGUMENT);
  CHECK_C_CODE(OrtCreateOpAttr("a", &number, -1, ORT_OP_ATTR_INTS, &attribute),
               ORT_INVALID_ARGUMENT);
  CHECK_C_CODE(OrtCreateOpAttr("a", texts, 2, ORT_OP_ATTR_STRINGS, &attribute),
               ORT_INVALID_ARGUMENT);
  CHECK_C_CODE(OrtCreateOpAttr("a", &number, 1, ORT_OP_ATTR_UNDEFINED, &attribute),
               ORT_INVALID_ARGUMENT);
  CHECK_C_CODE(OrtCreateOpAttr("a", &number, 1, static_cast<OrtOpAttrType>(99), &attribute),
               ORT_INVALID_ARGUMENT);
  CHECK_C_CODE(OrtCreateOpAttr("a", &number, 1, ORT_OP_ATTR_GRAPH, &attribute),
               ORT_NOT_IMPLEMENTED);
  CHECK_C_CODE(OrtCreateOpAttr("a", &number, 1, ORT_OP_ATTR_TENSOR, &attribute),
               ORT_NOT_IMPLEMENTED);
  CHECK(attribute == nullptr);
}

TEST(op_attr, of_external_initializers_are_as_given) {
  OrtExternalInitializerInfo* info = nullptr;
  CHECK_C_CODE(OrtCreateExternalInitializerInfo("", 0, 1, &info), ORT_INVALID_ARGUMENT);
  CHECK_C_CODE(OrtCreateExternalInitializerInfo("w.bin", -1, 1, &info), ORT_INVALID_ARGUMENT);
  CHECK(info == nullptr);
  CHECK_C(OrtCreateExternalInitializerInfo("w.bin", 64, 7, &info));
  CHECK_EQ(std::string(OrtExternalInitializerInfo_GetFilePath(info)), "w.bin");
  CHECK_EQ(OrtExternalInitializerInfo_GetFileOffset(info), 64);
  CHECK_EQ(OrtExternalInitializerInfo_GetByteSize(info), 7u);
  OrtReleaseExternalInitializerInfo(info);
}
