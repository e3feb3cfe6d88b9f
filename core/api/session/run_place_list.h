// SPDX-License-Identifier: MIT
// In which memories of devices the values of a run lie. Nothing is kept for those on the host.
#pragma once

#include <list>
#include <vector>

#include "core/api/env/device_handles.h"
#include "core/api/value/value_handle.h"
#include "core/session/session.h"

namespace ortc::api {

class RunPlaceList {
 public:
  void set_input(size_t i, const OrtMemoryInfo& memory) { set(inputs_, i, memory); }
  void set_output(size_t i, const OrtMemoryInfo& memory) { set(outputs_, i, memory); }
  bool is_input_on_device(size_t i) const { return i < inputs_.size() && inputs_[i] != nullptr; }
  bool is_output_on_device(size_t i) const { return i < outputs_.size() && outputs_[i] != nullptr; }
  bool are_outputs_together(size_t i, size_t k) const {
    const bool is_on_device = is_output_on_device(i);
    return is_on_device == is_output_on_device(k) &&
           (!is_on_device || is_same_memory(*outputs_[i], *outputs_[k]));
  }
  void clear() {
    infos_.clear();
    inputs_.clear();
    outputs_.clear();
  }
  // For Session::run_in_place(): null when all is on the host.
  const ValuePlaces* places() {
    places_ = {inputs_, outputs_};
    return infos_.empty() ? nullptr : &places_;
  }

 private:
  void set(std::vector<const MemoryInfo*>& list, size_t i, const OrtMemoryInfo& memory) {
    if (memory.is_host_readable()) return;
    infos_.push_back(core_memory_of(memory));
    if (list.size() <= i) list.resize(i + 1);
    list[i] = &infos_.back();
  }

  std::list<MemoryInfo> infos_;
  std::vector<const MemoryInfo*> inputs_, outputs_;
  ValuePlaces places_;
};

}  // namespace ortc::api
