// Queues whose means are known: within confidence bounds of runs that are long enough to tell.
//
// Bounds are those of batch means: 20 batches, Student's t at 99.9 % with 19 degrees of freedom.
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "pdes/simulation.h"

namespace kerncast::pdes {
namespace {

constexpr Time cycle = 1 << 20;
constexpr std::size_t batches = 20;
constexpr double student_999 = 3.883;

struct Interval {
  double mean = 0;
  double half_width = 0;
};

Interval batch_means(const std::vector<double>& values) {
  std::array<double, batches> means{};
  const std::size_t size = values.size() / batches;
  for (std::size_t b = 0; b < batches; ++b)
    means[b] = std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(b * size),
                               values.begin() + static_cast<std::ptrdiff_t>((b + 1) * size), 0.0) /
               static_cast<double>(size);
  const double mean = std::accumulate(means.begin(), means.end(), 0.0) / batches;
  double squares = 0;
  for (const double m : means)
    squares += (m - mean) * (m - mean);
  return {mean, student_999 * std::sqrt(squares / (batches - 1) / batches)};
}

class Exponential {
public:
  explicit Exponential(std::uint64_t seed) : random_(seed) {}
  Time operator()(double mean_cycles) {
    const double u = (static_cast<double>(random_() >> 11) + 0.5) / 9007199254740992.0; // 2^53
    return static_cast<Time>(-std::log(u) * mean_cycles * static_cast<double>(cycle));
  }

private:
  std::mt19937_64 random_;
};

// Customers come at random and go to process 1, `transit` later.
class PoissonSource : public Process<int> {
public:
  PoissonSource(double mean_cycles, Time transit, int customers)
      : mean_cycles_(mean_cycles), transit_(transit), left_(customers) {}
  void handle(const Event<int>& event, Outbox<int>& out) override {
    out.send(1, event.time + transit_, 0);
    if (--left_ > 0)
      out.send(0, event.time + random_(mean_cycles_), 0);
  }

private:
  double mean_cycles_;
  Time transit_;
  int left_;
  Exponential random_{7};
};

class DeterministicServer : public Process<int> {
public:
  explicit DeterministicServer(Time service) : service_(service) {}
  void handle(const Event<int>& event, Outbox<int>& /*out*/) override {
    const Time begin = std::max(event.time, free_at_);
    free_at_ = begin + service_;
    waits.push_back(static_cast<double>(begin - event.time) / cycle);
  }
  std::vector<double> waits;

private:
  Time service_;
  Time free_at_ = 0;
};

// Pollaczek and Khinchine: an M/D/1 customer waits rho s / (2 (1 - rho)) on average; s = 10 cycles:
// 3.33 at half load, 11.67 at 0.7, 28.3 at 0.85.
TEST(queueing_theory, an_m_d_1_queue_waits_as_long_as_pollaczek_and_khinchine_say) {
  for (const double rho : {0.5, 0.7, 0.85}) {
    PoissonSource source(10 / rho, 50 * cycle, 400'000);
    DeterministicServer server(10 * cycle);
    Simulation<int> simulation({&source, &server}, 50 * cycle);
    simulation.post(0, 0, 0);
    simulation.run();
    const Interval wait = batch_means(server.waits);
    const double theory = rho * 10 / (2 * (1 - rho));
    EXPECT_NEAR(wait.mean, theory, wait.half_width) << "at load " << rho;
    EXPECT_LT(wait.half_width, 0.1 * theory) << "the run is long enough to tell";
  }
}

// A station of a closed network: serves in order of arrival, exponentially, and sends on to the next station.
class ExponentialStation : public Process<int> {
public:
  ExponentialStation(ProcessId next, double service_cycles, Time transit, std::uint64_t seed)
      : next_(next), service_cycles_(service_cycles), transit_(transit), random_(seed) {}
  void handle(const Event<int>& event, Outbox<int>& out) override {
    free_at_ = std::max(event.time, free_at_) + random_(service_cycles_);
    between.push_back(static_cast<double>(free_at_ - last_) / cycle);
    last_ = free_at_;
    out.send(next_, free_at_ + transit_, event.payload);
  }
  std::vector<double> between; // departures

private:
  ProcessId next_;
  double service_cycles_;
  Time transit_;
  Exponential random_;
  Time free_at_ = 0;
  Time last_ = 0;
};

// Mean value analysis (Reiser and Lavenberg 1980) of a cycle of exponential stations with delays of `transit`
// cycles in all: exact, as the network has product form.
double throughput(const std::vector<double>& service, double transit, int customers) {
  std::vector<double> queue(service.size(), 0);
  double x = 0;
  for (int n = 1; n <= customers; ++n) {
    double round = transit;
    for (std::size_t i = 0; i < service.size(); ++i)
      round += service[i] * (1 + queue[i]);
    x = n / round;
    for (std::size_t i = 0; i < service.size(); ++i)
      queue[i] = x * service[i] * (1 + queue[i]);
  }
  return x;
}

TEST(queueing_theory, a_closed_network_has_the_throughput_of_mean_value_analysis) {
  const std::vector<double> service = {4, 10, 7};
  for (const int customers : {1, 3, 10, 30}) {
    std::vector<ExponentialStation> stations;
    for (std::size_t i = 0; i < service.size(); ++i)
      stations.emplace_back(static_cast<ProcessId>((i + 1) % service.size()), service[i], 20 * cycle, 11 + i);
    Simulation<int> simulation({&stations[0], &stations[1], &stations[2]}, 20 * cycle);
    for (int i = 0; i < customers; ++i)
      simulation.post(0, 0, i);
    const double expected = throughput(service, 60, customers);
    simulation.run(static_cast<Time>(200'000 / expected) * cycle);
    const std::vector<double>& between = stations[1].between;
    const Interval gap = batch_means({between.begin() + 2000, between.end()});
    EXPECT_NEAR(gap.mean, 1 / expected, gap.half_width) << customers << " customers";
    EXPECT_LT(gap.half_width, 0.02 / expected);
  }
}

} // namespace
} // namespace kerncast::pdes
