// All closed-form models by name, as functions of a kernel's profile and the warps on an SM.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analytical/kernel_profile.h"

namespace kerncast::analytical {

struct ClosedForm {
  std::string_view name; // kerncast predict --model NAME
  WarpRate (*rate)(const KernelProfile& profile, double warps) = nullptr;
};

// In the order of docs/models.md.
std::span<const ClosedForm> closed_forms();

// What a model has to assume because the profile does not say it; "" if nothing.
std::string assumption_of(const ClosedForm& model, const KernelProfile& profile);

} // namespace kerncast::analytical
