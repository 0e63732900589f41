// A policy whose simulation is recorded: it picks as the policy does.
#pragma once

namespace kerncast::engine {

template <class Policy> struct Observed : Policy {};

template <class Policy> inline constexpr bool is_observed = false;
template <class Policy> inline constexpr bool is_observed<Observed<Policy>> = true;

} // namespace kerncast::engine
