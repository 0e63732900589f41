// Euler equations on an unstructured grid of tetrahedra, finite volumes: the algorithm of Rodinia's cfd
// (euler3d).
//
// One thread per element, variables one after the other for all elements. In each iteration the step factor
// of every element is computed once; three times (Runge-Kutta) fluxes over the four faces are gathered from
// the neighbours and the variables advanced. A neighbour of -1 is a wing's surface, -2 the far field, whose
// state lies in constant memory. Leaves out: reading meshes.

constexpr int faces = 4;
constexpr int stages = 3;
constexpr float gamma_air = 1.4f;
constexpr float artificial_viscosity = 0.2f;

enum Variable { density, momentum_x, momentum_y, momentum_z, density_energy, variables };
enum Neighbour { wing = -1, far_field = -2 };

struct State {
  float density;
  float3 momentum;
  float energy;
};
struct Flux { // of the momentum's components and of the energy
  float3 x, y, z, energy;
};

__constant__ float ff_variable[variables];
__constant__ float3 ff_flux_contribution_momentum_x, ff_flux_contribution_momentum_y,
    ff_flux_contribution_momentum_z, ff_flux_contribution_density_energy;

__device__ State state_of(const float* values, int element, int elements) {
  return {values[element + density * elements],
          {values[element + momentum_x * elements], values[element + momentum_y * elements],
           values[element + momentum_z * elements]},
          values[element + density_energy * elements]};
}

__device__ float3 velocity_of(const State& s) {
  return {s.momentum.x / s.density, s.momentum.y / s.density, s.momentum.z / s.density};
}

__device__ float square(float3 v) { return v.x * v.x + v.y * v.y + v.z * v.z; }

__device__ float pressure_of(const State& s, float speed_squared) {
  return (gamma_air - 1) * (s.energy - 0.5f * s.density * speed_squared);
}

__device__ float speed_of_sound(float density, float pressure) {
  return sqrtf(gamma_air * pressure / density);
}

__device__ Flux flux_of(const State& s, float3 velocity, float pressure) {
  const float enthalpy = s.energy + pressure;
  return {{velocity.x * s.momentum.x + pressure, velocity.x * s.momentum.y, velocity.x * s.momentum.z},
          {velocity.x * s.momentum.y, velocity.y * s.momentum.y + pressure, velocity.y * s.momentum.z},
          {velocity.x * s.momentum.z, velocity.y * s.momentum.z, velocity.z * s.momentum.z + pressure},
          {velocity.x * enthalpy, velocity.y * enthalpy, velocity.z * enthalpy}};
}

__device__ void add(State& sum, float factor, const State& s) {
  sum.density += factor * s.density;
  sum.energy += factor * s.energy;
  sum.momentum.x += factor * s.momentum.x;
  sum.momentum.y += factor * s.momentum.y;
  sum.momentum.z += factor * s.momentum.z;
}

extern "C" __global__ void cuda_initialize_variables(int elements, float* values) {
  const int element = static_cast<int>(blockDim.x * blockIdx.x + threadIdx.x);
  for (int v = 0; v < variables; ++v)
    values[element + v * elements] = ff_variable[v];
}

extern "C" __global__ void cuda_compute_step_factor(int elements, const float* values, const float* areas,
                                                    float* step_factors) {
  const int element = static_cast<int>(blockDim.x * blockIdx.x + threadIdx.x);
  const State s = state_of(values, element, elements);
  const float speed_squared = square(velocity_of(s));
  const float sound = speed_of_sound(s.density, pressure_of(s, speed_squared));
  step_factors[element] = 0.5f / (sqrtf(areas[element]) * (sqrtf(speed_squared) + sound));
}

extern "C" __global__ void cuda_compute_flux(int elements, const int* neighbours, const float* normals,
                                             const float* values, float* fluxes) {
  const int element = static_cast<int>(blockDim.x * blockIdx.x + threadIdx.x);
  const State own = state_of(values, element, elements);
  const float3 velocity = velocity_of(own);
  const float speed_squared = square(velocity);
  const float pressure = pressure_of(own, speed_squared);
  const float sound = speed_of_sound(own.density, pressure);
  const Flux own_flux = flux_of(own, velocity, pressure);

  State sum{};
  // Half the normal times both sides' fluxes.
  const auto add_flux = [&](float3 n, float3 momentum, const Flux& f) {
    const float half[3] = {0.5f * n.x, 0.5f * n.y, 0.5f * n.z};
    const float3 own_rows[4] = {own_flux.x, own_flux.y, own_flux.z, own_flux.energy};
    const float3 rows[4] = {f.x, f.y, f.z, f.energy};
    float* sums[4] = {&sum.momentum.x, &sum.momentum.y, &sum.momentum.z, &sum.energy};
    sum.density += half[0] * (momentum.x + own.momentum.x) + half[1] * (momentum.y + own.momentum.y) +
                   half[2] * (momentum.z + own.momentum.z);
#pragma unroll
    for (int r = 0; r < 4; ++r)
      *sums[r] += half[0] * (rows[r].x + own_rows[r].x) + half[1] * (rows[r].y + own_rows[r].y) +
                  half[2] * (rows[r].z + own_rows[r].z);
  };

#pragma unroll
  for (int face = 0; face < faces; ++face) {
    const int neighbour = neighbours[element + face * elements];
    const auto normal = [&](int axis) { return normals[element + (face + axis * faces) * elements]; };
    const float3 n = {normal(0), normal(1), normal(2)};
    if (neighbour >= 0) {
      const State other = state_of(values, neighbour, elements);
      const float3 other_velocity = velocity_of(other);
      const float other_speed_squared = square(other_velocity);
      const float other_pressure = pressure_of(other, other_speed_squared);
      const float other_sound = speed_of_sound(other.density, other_pressure);
      const float damping = -sqrtf(square(n)) * artificial_viscosity * 0.5f *
                            (sqrtf(speed_squared) + sqrtf(other_speed_squared) + sound + other_sound);
      add(sum, damping, own);
      add(sum, -damping, other);
      add_flux(n, other.momentum, flux_of(other, other_velocity, other_pressure));
    } else if (neighbour == wing) {
      sum.momentum.x += n.x * pressure;
      sum.momentum.y += n.y * pressure;
      sum.momentum.z += n.z * pressure;
    } else if (neighbour == far_field) {
      add_flux(n, {ff_variable[momentum_x], ff_variable[momentum_y], ff_variable[momentum_z]},
               {ff_flux_contribution_momentum_x, ff_flux_contribution_momentum_y,
                ff_flux_contribution_momentum_z, ff_flux_contribution_density_energy});
    }
  }
  fluxes[element + density * elements] = sum.density;
  fluxes[element + momentum_x * elements] = sum.momentum.x;
  fluxes[element + momentum_y * elements] = sum.momentum.y;
  fluxes[element + momentum_z * elements] = sum.momentum.z;
  fluxes[element + density_energy * elements] = sum.energy;
}

extern "C" __global__ void cuda_time_step(int stage, int elements, const float* old_values, float* values,
                                          const float* step_factors, const float* fluxes) {
  const int element = static_cast<int>(blockDim.x * blockIdx.x + threadIdx.x);
  const float factor = step_factors[element] / static_cast<float>(stages + 1 - stage);
#pragma unroll
  for (int v = 0; v < variables; ++v)
    values[element + v * elements] =
        old_values[element + v * elements] + factor * fluxes[element + v * elements];
}
