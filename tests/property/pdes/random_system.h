// Systems of processes that send each other events at random, and what each of them saw.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "pdes/simulation.h"

namespace kerncast::pdes {

struct Token {
  std::uint64_t value = 0;
  std::uint32_t hops = 0; // left
};

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9e3779b97f4a7c15ULL + b;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  return x ^ (x >> 27);
}

// What it does depends on all events that it has handled, in their order: two runs whose order differs
// anywhere end differently. Every third one keeps what it gets and acts of its own accord, a few times.
class RandomProcess : public Process<Token> {
public:
  RandomProcess(ProcessId id, ProcessId count, Time lookahead, std::uint64_t seed)
      : id_(id), count_(count), lookahead_(lookahead), state_(mix(seed, id)), acts_(state_ % 3 == 0) {
    if (acts_)
      action_ = static_cast<Time>(state_ % 50);
  }

  void handle(const Event<Token>& event, Outbox<Token>& out) override {
    ++handled_;
    state_ = mix(mix(state_, static_cast<std::uint64_t>(event.time)), mix(event.source, event.payload.value));
    if (event.payload.hops == 0 || acts_)
      return;
    const std::uint64_t children = state_ % 4 == 0 ? 2 : 1;
    for (std::uint64_t i = 0; i < children; ++i)
      send(event.time, {mix(state_, i), event.payload.hops - 1}, out);
  }
  void advance(Time end, Outbox<Token>& out) override {
    while (action_ < end) {
      out.send((id_ + 1 + actions_ % (count_ - 1)) % count_, action_ + lookahead_, {mix(id_, actions_), 3});
      ++actions_;
      action_ = actions_ < 5 ? action_ + 7 + static_cast<Time>(id_) : never;
    }
  }
  Time next_action() const override { return action_; }

  std::uint64_t state() const { return state_; }
  std::uint64_t handled() const { return handled_; }

private:
  // To itself at once or a little later; to others the lookahead later or a little more, so that times of
  // different senders often are the same.
  void send(Time now, const Token& token, Outbox<Token>& out) const {
    const auto target = static_cast<ProcessId>(mix(token.value, 1) % count_);
    const auto jitter = static_cast<Time>(mix(token.value, 2) % 4);
    out.send(target, now + (target == id_ ? 0 : lookahead_) + jitter * (lookahead_ / 2 + 1), token);
  }

  ProcessId id_;
  ProcessId count_;
  Time lookahead_;
  std::uint64_t state_;
  bool acts_;
  std::uint64_t handled_ = 0;
  Time action_ = never;
  std::uint32_t actions_ = 0;
};

struct RandomSystem {
  RandomSystem(std::uint64_t seed, ProcessId count) : lookahead(static_cast<Time>(1 + seed % 20)) {
    for (ProcessId id = 0; id < count; ++id)
      own.push_back(std::make_unique<RandomProcess>(id, count, lookahead, seed));
  }
  std::vector<Process<Token>*> processes() const {
    std::vector<Process<Token>*> out;
    for (const auto& process : own)
      out.push_back(process.get());
    return out;
  }
  // What is posted before the start, to anything that has `post`.
  template <class Into> void start(Into& simulation) const {
    for (ProcessId id = 0; id < own.size(); ++id)
      simulation.post(id, id % 3, Token{id, 12});
  }
  std::vector<std::uint64_t> states() const {
    std::vector<std::uint64_t> out;
    for (const auto& process : own)
      out.push_back(process->state());
    return out;
  }
  Statistics run(Execution<Token> execution = {}) const {
    Simulation<Token> simulation(processes(), lookahead, std::move(execution));
    start(simulation);
    return simulation.run();
  }

  Time lookahead;
  std::vector<std::unique_ptr<RandomProcess>> own;
};

} // namespace kerncast::pdes
