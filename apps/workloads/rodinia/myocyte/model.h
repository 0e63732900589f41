// Rates of change of a rabbit ventricular myocyte: membrane currents, calcium and its buffers (Shannon, Wang,
// Puglisi, Weber, Bers, Biophysical Journal 87, 2004), and calmodulin, CaMKII and calcineurin in three places
// (Saucerman, Bers, Biophysical Journal 95, 2008). Times in ms, potentials in mV, concentrations in mM, those
// of the second part in uM. The same code is compiled for the device with floats and for the host with
// doubles.
#pragma once

#include <cmath>

#ifdef __CUDACC__
#define MODEL __host__ __device__ inline
#else
#define MODEL inline
#endif

namespace myocyte {

using std::exp;
using std::fmod;
using std::log;
using std::log10;
using std::pow;
using std::sqrt;

enum Value {
  na_m,
  na_h,
  na_j,
  ca_d,
  ca_f,
  ca_block_junction,
  ca_block_sl,
  slow_x,
  slow_y,
  fast_x,
  fast_y,
  kr_x,
  ks_x,
  ryr_rested,
  ryr_open,
  ryr_inactivated,
  na_buffer_junction,
  na_buffer_sl,
  troponin_low,
  troponin_ca,
  troponin_mg,
  calmodulin,
  myosin_ca,
  myosin_mg,
  sr_buffer,
  low_junction,
  low_sl,
  high_junction,
  high_sl,
  calsequestrin,
  ca_sr,
  na_junction,
  na_sl,
  na_cytosol,
  k_cytosol,
  ca_junction,
  ca_sl,
  ca_cytosol,
  voltage,
  slow_r,
  unused_1,
  unused_2,
  total_ca_l,
  total_ca_pump,
  total_exchange,
  total_background, // calcium through channels
  cell_values,
  cam_values = 15,
  values = cell_values + 3 * cam_values
};

// Of each place's calmodulin: totals of calmodulin, buffer, CaMKII, calcineurin, PP1; then:
enum Parameter { of_place = 5, cycle_ms = 15, potassium, magnesium, parameters };

constexpr float faraday = 96485, per_mv = faraday / 8314 / 310;
constexpr float capacitance = 1.381e-10f;
constexpr float cell = 3.1416f * 10.25f * 10.25f * 100 * 1e-15f; // litres
constexpr float cytosol = 0.65f * cell, sr = 0.035f * cell, sl = 0.02f * cell, junction = 0.000539f * cell;
constexpr float ca_junction_sl = 8.2413e-13f, ca_sl_cytosol = 3.7243e-12f; // litres per ms
constexpr float na_junction_sl = 1.8313e-14f, na_sl_cytosol = 1.6386e-12f;
constexpr float na_out = 140, k_out = 5.4f, ca_out = 1.8f, cl_in = 15, cl_out = 150, mg_in = 1;

template <class Real> MODEL Real square(Real x) { return x * x; }
template <class Real> MODEL Real cube(Real x) { return x * x * x; }
template <class Real> MODEL Real rising(Real x) { return 1 / (1 + exp(-x)); }

// One side of the membrane's inner face: the junctional cleft, or the space below the sarcolemma.
template <class Real> struct Face {
  float share, ca_l_share; // of the channels
  Real na, ca, e_na, e_ca, ca_block;
  Real na_current = 0, ca_current = 0, k_current = 0, cl_current = 0;
  Real ca_l = 0, exchange = 0, pump = 0, background = 0;
};

template <class Real>
MODEL Face<Real> face_of(float share, float ca_l_share, Real na, Real ca, Real ca_block) {
  Face<Real> face{share, ca_l_share, na, ca, 0, 0, ca_block};
  face.e_na = log(na_out / na) / per_mv;
  face.e_ca = log(ca_out / ca) / (2 * per_mv);
  return face;
}

template <class Real> MODEL void relax(Real* rates, const Real* y, Value gate, Real limit, Real time) {
  rates[gate] = (limit - y[gate]) / time;
}

template <class Real> MODEL void sodium_gates(Real v, const Real* y, Real* rates) {
  const Real open = 0.32f * (v + 47.13f) / (1 - exp(-0.1f * (v + 47.13f))), close = 0.08f * exp(-v / 11);
  Real h_on = 0, h_off, j_on = 0, j_off;
  if (v >= -40) {
    h_off = 1 / (0.13f * (1 + exp(-(v + 10.66f) / 11.1f)));
    j_off = 0.3f * exp(-2.535e-7f * v) / (1 + exp(-0.1f * (v + 32)));
  } else {
    h_on = 0.135f * exp((80 + v) / -6.8f);
    h_off = 3.56f * exp(0.079f * v) + 3.1e5f * exp(0.35f * v);
    j_on = (-1.2714e5f * exp(0.2444f * v) - 3.474e-5f * exp(-0.04391f * v)) * (v + 37.78f) /
           (1 + exp(0.311f * (v + 79.23f)));
    j_off = 0.1212f * exp(-0.01052f * v) / (1 + exp(-0.1378f * (v + 40.14f)));
  }
  rates[na_m] = open * (1 - y[na_m]) - close * y[na_m];
  rates[na_h] = h_on * (1 - y[na_h]) - h_off * y[na_h];
  rates[na_j] = j_on * (1 - y[na_j]) - j_off * y[na_j];
}

// Fast sodium, its background, and the sodium-potassium pump, which also returns potassium.
template <class Real> MODEL void sodium(Face<Real>& face, Real v, const Real* y) {
  const Real open = 16 * cube(y[na_m]) * y[na_h] * y[na_j];
  const Real sigma = (exp(Real(na_out / 67.3f)) - 1) / 7;
  const Real by_voltage = 1 / (1 + 0.1245f * exp(-0.1f * v * per_mv) + 0.0365f * sigma * exp(-v * per_mv));
  const Real pump =
      face.share * 1.90719f * by_voltage * k_out / (1 + square(square(11 / face.na))) / (k_out + 1.5f);
  face.na_current += face.share * (open + 0.297e-3f) * (v - face.e_na) + 3 * pump;
  face.k_current -= 2 * pump;
}

template <class Real> MODEL void potassium_gates(Real v, const Real* y, Real* rates) {
  relax(rates, y, kr_x, rising((v + 50) / 7.5f),
        1 / (0.00138f * (v + 7) / (1 - exp(-0.123f * (v + 7))) +
             6.1e-4f * (v + 10) / (exp(0.145f * (v + 10)) - 1)));
  relax(rates, y, ks_x, rising((v - 1.5f) / 16.7f),
        1 / (7.19e-5f * (v + 30) / (1 - exp(-0.148f * (v + 30))) +
             1.31e-4f * (v + 30) / (exp(0.0687f * (v + 30)) - 1)));
  const Real x = rising((v + 3) / 15), falling = rising(-(v + 33.5f) / 10), late = rising(-(v + 60) / 10);
  relax(rates, y, slow_x, x, 9 * rising(-(v + 3) / 15) + 0.5f);
  relax(rates, y, slow_y, falling, 3000 * late + 30);
  relax(rates, y, slow_r, falling, 2800 * late + 220);
  relax(rates, y, fast_x, x, 3.5f * exp(-v * v / 900) + 1.5f);
  relax(rates, y, fast_y, falling, 20 * falling + 20);
}

// Slowly activated by calcium at the face.
template <class Real> MODEL void slow_potassium(Face<Real>& face, Real v, const Real* y) {
  const Real reversal = log((k_out + 0.01833f * na_out) / (y[k_cytosol] + 0.01833f * y[na_cytosol])) / per_mv;
  const Real g = 0.07f * (0.057f + 0.19f * rising(-(-7.2f + 3 - log10(face.ca)) / 0.6f));
  face.k_current += face.share * g * square(y[ks_x]) * (v - reversal);
}

// Rapid, plateau, transient and inward rectifier.
template <class Real> MODEL Real other_potassium(Real v, const Real* y) {
  const Real e_k = log(k_out / y[k_cytosol]) / per_mv, driven = v - e_k;
  const Real rapid = 0.03f * y[kr_x] * rising(-(v + 33) / 22.4f),
             plateau = 0.001f * rising(v / 5.98f - 7.488f);
  const Real transient = 0.06f * y[slow_x] * (y[slow_y] + 0.5f * y[slow_r]) + 0.02f * y[fast_x] * y[fast_y];
  const Real on = 1.02f * rising(-0.2385f * (driven - 59.215f));
  const Real off = (0.49124f * exp(0.08032f * (driven + 5.476f)) + exp(0.06175f * (driven - 594.31f))) *
                   rising(0.5143f * (driven + 4.753f));
  return (rapid + plateau + transient + 0.9f * on / (on + off)) * driven;
}

template <class Real> MODEL void calcium_gates(Real v, const Real* y, Real* rates) {
  const Real open = rising((v + 14.5f) / 6);
  relax(rates, y, ca_d, open, open * (1 - exp(-(v + 14.5f) / 6)) / (0.035f * (v + 14.5f)));
  relax(rates, y, ca_f, rising(-(v + 35.06f) / 3.6f) + 0.6f * rising((v - 50) / 20),
        1 / (0.0197f * exp(-square(0.0337f * (v + 14.5f))) + 0.02f));
  rates[ca_block_junction] =
      1.7f * y[ca_junction] * (1 - y[ca_block_junction]) - 11.9e-3f * y[ca_block_junction];
  rates[ca_block_sl] = 1.7f * y[ca_sl] * (1 - y[ca_block_sl]) - 11.9e-3f * y[ca_block_sl];
}

// Calcium, sodium and potassium through L-type channels.
template <class Real> MODEL void l_type(Face<Real>& face, Real v, const Real* y) {
  const Real field = v * faraday * per_mv, once = exp(v * per_mv), twice = exp(2 * v * per_mv);
  const Real open = 0.45f * face.ca_l_share * y[ca_d] * y[ca_f] * (1 - face.ca_block);
  face.ca_l = open * 5.4e-4f * 4 * field * 0.341f * (face.ca * twice - ca_out) / (twice - 1);
  face.ca_current += face.ca_l;
  face.k_current += open * 2.7e-7f * field * 0.75f * (y[k_cytosol] * once - k_out) / (once - 1);
  face.na_current += open * 1.5e-8f * field * 0.75f * (face.na * once - na_out) / (once - 1);
}

// Three sodium for one calcium.
template <class Real> MODEL void exchanger(Face<Real>& face, Real v) {
  const Real na3 = cube(face.na), na3_out = cube(Real(na_out));
  const Real in = exp(0.35f * v * per_mv), out = exp(-0.65f * v * per_mv);
  const Real bound = 3.59e-3f * na3_out * (1 + cube(face.na / 12.29f)) + cube(Real(87.5f)) * face.ca +
                     cube(Real(12.29f)) * ca_out * (1 + face.ca / 3.59e-3f) + 1.3f * na3 + na3 * ca_out +
                     na3_out * face.ca;
  face.exchange = face.share * 9 / (1 + cube(0.256e-3f / face.ca)) *
                  (in * na3 * ca_out - out * na3_out * face.ca) / (bound * (1 + 0.27f * out));
  face.na_current += 3 * face.exchange;
  face.ca_current -= 2 * face.exchange;
}

template <class Real> MODEL void calcium_leaks(Face<Real>& face, Real v) {
  const Real pumped = pow(face.ca, Real(1.6f));
  face.pump = face.share * 0.0673f * pumped / (pow(Real(0.5e-3f), Real(1.6f)) + pumped);
  face.background = face.share * 2.513e-4f * (v - face.e_ca);
  face.ca_current += face.pump + face.background;
}

template <class Real> MODEL void currents(Face<Real>& face, Real v, const Real* y) {
  sodium(face, v, y);
  slow_potassium(face, v, y);
  l_type(face, v, y);
  exchanger(face, v);
  calcium_leaks(face, v);
  const Real e_cl = log(Real(cl_in / cl_out)) / per_mv;
  face.cl_current = face.share * (0.109625f / (1 + 0.1f / face.ca) + 9e-3f) * (v - e_cl);
}

// What leaves the sarcoplasmic reticulum through its channels (per its volume), and by leaking, and what is
// pumped back into it (per volume of the cytosol).
template <class Real> struct Reticulum { Real released, leaked, pumped; };

template <class Real> MODEL Reticulum<Real> reticulum(const Real* y, Real* rates) {
  const Real ca = y[ca_junction], full = 15 - 14 / (1 + pow(0.45f / y[ca_sr], Real(2.5f)));
  const Real opens = 10 / full * square(ca), inactivates = 0.5f * full * ca;
  const Real both = 1 - y[ryr_rested] - y[ryr_open] - y[ryr_inactivated];
  const Real opening = opens * y[ryr_rested] - 0.06f * y[ryr_open];
  const Real inactivating = inactivates * y[ryr_open] - 0.005f * y[ryr_inactivated];
  rates[ryr_rested] = 0.005f * both - inactivates * y[ryr_rested] - opening;
  rates[ryr_open] = opening - inactivating;
  rates[ryr_inactivated] = inactivating - (0.06f * y[ryr_inactivated] - opens * both);
  const Real forward = pow(y[ca_cytosol] / 0.246e-3f, Real(1.787f)),
             back = pow(y[ca_sr] / 1.7f, Real(1.787f));
  return {25 * y[ryr_open] * (y[ca_sr] - ca), 5.348e-6f * (y[ca_sr] - ca),
          2.86e-4f * (forward - back) / (1 + forward + back)};
}

template <class Real>
MODEL Real binds(Real* rates, const Real* y, Value bound, Real ion, float sites, float on, float off) {
  return rates[bound] = on * ion * (sites - y[bound]) - off * y[bound];
}

// Returns the calcium and magnesium that the cytosol's buffers take.
template <class Real> MODEL Real cytosolic_buffers(const Real* y, Real* rates) {
  const Real ca = y[ca_cytosol];
  const Real troponin = 0.14f - y[troponin_ca] - y[troponin_mg], myosin = 0.14f - y[myosin_ca] - y[myosin_mg];
  rates[troponin_ca] = 2.37f * ca * troponin - 0.032e-3f * y[troponin_ca];
  rates[troponin_mg] = 3e-3f * mg_in * troponin - 3.33e-3f * y[troponin_mg];
  rates[myosin_ca] = 13.8f * ca * myosin - 0.46e-3f * y[myosin_ca];
  rates[myosin_mg] = 0.0157f * mg_in * myosin - 0.057e-3f * y[myosin_mg];
  rates[calmodulin] = 0; // the second part has it
  return binds(rates, y, troponin_low, ca, 0.07f, 32.7f, 19.6e-3f) + rates[troponin_ca] + rates[troponin_mg] +
         rates[myosin_ca] + rates[myosin_mg] + binds(rates, y, sr_buffer, ca, 0.0171f, 100, 0.06f);
}

template <class Real>
MODEL void sodium_rates(const Face<Real>& cleft, const Face<Real>& below, const Real* y, Real* rates) {
  const Real to_sl = na_junction_sl * (y[na_junction] - y[na_sl]),
             inward = na_sl_cytosol * (y[na_sl] - y[na_cytosol]);
  rates[na_junction] = -cleft.na_current * (capacitance / (junction * faraday)) - to_sl / junction -
                       binds(rates, y, na_buffer_junction, y[na_junction], 7.561f, 1e-4f, 1e-3f);
  rates[na_sl] = -below.na_current * (capacitance / (sl * faraday)) + (to_sl - inward) / sl -
                 binds(rates, y, na_buffer_sl, y[na_sl], 1.65f, 1e-4f, 1e-3f);
  rates[na_cytosol] = inward / cytosol;
}

template <class Real>
MODEL void calcium_rates(const Face<Real>& cleft, const Face<Real>& below, const Real* y, Real* rates) {
  const Reticulum<Real> of_sr = reticulum(y, rates);
  rates[ca_sr] = of_sr.pumped * (cytosol / sr) - of_sr.leaked * (cytosol / sr) - of_sr.released -
                 binds(rates, y, calsequestrin, y[ca_sr], 2.7f, 100, 65);
  const Real to_sl = ca_junction_sl * (y[ca_junction] - y[ca_sl]),
             inward = ca_sl_cytosol * (y[ca_sl] - y[ca_cytosol]);
  constexpr float at_junction = 0.1f * cytosol / junction, at_sl = cytosol / sl;
  rates[ca_junction] = -cleft.ca_current * (capacitance / (junction * 2 * faraday)) - to_sl / junction -
                       binds(rates, y, low_junction, y[ca_junction], 4.62e-3f * at_junction, 100, 1.3f) -
                       binds(rates, y, high_junction, y[ca_junction], 1.65e-3f * at_junction, 100, 0.03f) +
                       of_sr.released * (sr / junction) + of_sr.leaked * (cytosol / junction);
  rates[ca_sl] = -below.ca_current * (capacitance / (sl * 2 * faraday)) + (to_sl - inward) / sl -
                 binds(rates, y, low_sl, y[ca_sl], 37.38e-3f * at_sl, 100, 1.3f) -
                 binds(rates, y, high_sl, y[ca_sl], 13.35e-3f * at_sl, 100, 0.03f);
  rates[ca_cytosol] = -of_sr.pumped - cytosolic_buffers(y, rates) + inward / cytosol;
}

// The first 46 values.
template <class Real>
MODEL void cell_rates(int time_ms, const Real* values, const Real* parameter, Real* rates) {
  Real y[cell_values]; // loaded once, whatever is stored meanwhile
  for (int k = 0; k < cell_values; ++k)
    y[k] = values[k];
  const Real v = y[voltage];
  sodium_gates(v, y, rates);
  potassium_gates(v, y, rates);
  calcium_gates(v, y, rates);
  Face<Real> cleft = face_of<Real>(0.11f, 0.9f, y[na_junction], y[ca_junction], y[ca_block_junction]);
  Face<Real> below = face_of<Real>(0.89f, 0.1f, y[na_sl], y[ca_sl], y[ca_block_sl]);
  currents(cleft, v, y);
  currents(below, v, y);
  sodium_rates(cleft, below, y, rates);
  calcium_rates(cleft, below, y, rates);

  const Real paced = fmod(Real(time_ms), parameter[cycle_ms]) <= 5 ? 9.5f : 0.0f;
  rates[voltage] =
      paced - (other_potassium(v, y) + cleft.na_current + below.na_current + cleft.ca_current +
               below.ca_current + cleft.k_current + below.k_current + cleft.cl_current + below.cl_current);
  rates[k_cytosol] = rates[unused_1] = rates[unused_2] = 0;
  constexpr float entering = -capacitance / (cytosol * 2 * faraday) * 1000;
  rates[total_ca_l] = entering * (cleft.ca_l + below.ca_l);
  rates[total_ca_pump] = entering * (cleft.pump + below.pump);
  rates[total_exchange] = -2 * entering * (cleft.exchange + below.exchange);
  rates[total_background] = entering * (cleft.background + below.background);
}

// Of calmodulin (N): with 0, 2 or 4 calcium; free, at buffers, at calcineurin; CaMKII's states with it.
enum CamValue { cam, ca2, ca4, cam_b, ca2_b, ca4_b, pb2, pb, pt, pt2, pa, can, cam_can, ca2_can, ca4_can };

template <class Real> struct Binding {
  Real two, four; // rate constants of the first and the second pair of calcium, per uM^2 and s
};

template <class Real> MODEL Binding<Real> binding(Real k, Real mg) {
  Real two, four;
  if (mg <= 1) {
    two = 0.0025f * (1 + k / 0.94f - mg / 0.012f) * (1 + k / 8.1f + mg / 0.022f);
    four = 0.128f * (1 + k / 0.64f + mg / 0.0014f) * (1 + k / 13 - mg / 0.153f);
  } else {
    two = 0.0025f * (1 + k / 0.94f - 1 / 0.012f + (mg - 1) / 0.06f) *
          (1 + k / 8.1f + 1 / 0.022f + (mg - 1) / 0.068f);
    four = 0.128f * (1 + k / 0.64f + 1 / 0.0014f + (mg - 1) / 0.005f) *
           (1 + k / 13 - 1 / 0.153f + (mg - 1) / 0.15f);
  }
  return {10 / two, 500 / four};
}

// Reactions of CaMKII, in shares of its total per s.
template <class Real> struct Kinase {
  Real bind2, to_pb, bind4, phosphorylate, to_pt2, release4, release2, dephosphorylate2, dephosphorylate;
};

template <class Real>
MODEL Kinase<Real> kinase(const Real* y, const Real* total, Real ca_squared, const Binding<Real>& rate) {
  constexpr float off = 2.2f, on = off / 33.5e-3f;
  const Real inactive = 1 - y[pb2] - y[pb] - y[pt] - y[pt2] - y[pa], active = y[pb] + y[pt] + y[pt2] + y[pa];
  const Real neighbours = 0.055f * active + 0.0074f * square(active) + 0.015f * cube(active);
  const auto undone = [&](Real share) { return 1.72f * total[4] * share / (11.5f + total[2] * share); };
  Kinase<Real> k;
  k.bind2 = on * y[ca2] * inactive - on * 5 * y[pb2];
  k.to_pb = rate.four * ca_squared * y[pb2] - 500 * 33.5e-3f / 5 * y[pb];
  k.bind4 = on * y[ca4] * inactive - off * y[pb];
  k.phosphorylate = neighbours * y[pb] - undone(y[pt]);
  k.to_pt2 = 500 * 33.5e-6f / 5 * y[pt] - rate.four * ca_squared * y[pt2];
  k.release4 = off / 1000 * y[pt] - on * y[ca4] * y[pa];
  k.release2 = on * 5 * y[pt2] - on * y[ca2] * y[pa];
  k.dephosphorylate2 = undone(y[pt2]);
  k.dephosphorylate = undone(y[pa]);
  return k;
}

// Fifteen rates of one place's values y, in uM and ms; returns the calcium that is set free.
template <class Real>
MODEL Real cam_rates(const Real* y, Real ca, const Real* total, Real k_in, Real mg, Real* rates) {
  const Real squared = ca * ca;
  const Binding<Real> rate = binding(k_in, mg);
  const Real two = rate.two * squared, four = rate.four * squared;
  const Real first = two * y[cam] - 10 * y[ca2], second = four * y[ca2] - 500 * y[ca4];
  const Real buffer = total[1] - y[cam_b] - y[ca2_b] - y[ca4_b];
  constexpr float off = 0.0014f, on = off / 0.2f;
  const Real first_b = two * y[cam_b] - 0.1f * y[ca2_b], second_b = four * y[ca2_b] - 500 * y[ca4_b];
  const Real to_b0 = on * y[cam] * buffer - off * y[cam_b],
             to_b2 = on * y[ca2] * buffer - off / 100 * y[ca2_b];
  const Real to_b4 = on * y[ca4] * buffer - off / 100 * y[ca4_b];
  constexpr float leave4 = 0.0013f, leave2 = 2508 * leave4, leave0 = 165 * leave2;
  const Real ca2_calcineurin = total[3] - y[can] - y[cam_can] - y[ca2_can] - y[ca4_can];
  const Real activate = 2 * squared * ca2_calcineurin - y[can];
  const Real first_n = two * y[cam_can] - 10.0f / 165 * y[ca2_can];
  const Real second_n = four * y[ca2_can] - 10.0f / 2508 * y[ca4_can];
  const Real to_n0 = 46 * y[cam] * y[can] - leave0 * y[cam_can],
             to_n2 = 46 * y[ca2] * y[can] - leave2 * y[ca2_can];
  const Real to_n4 = 46 * y[ca4] * y[can] - leave4 * y[ca4_can];
  const Kinase<Real> k = kinase(y, total, squared, rate);

  rates[cam] = 1e-3f * (-first - to_b0 - to_n0);
  rates[ca2] = 1e-3f * (first - second - to_b2 - to_n2 + total[2] * (k.release2 - k.bind2));
  rates[ca4] = 1e-3f * (second - to_b4 - to_n4 + total[2] * (k.release4 - k.bind4));
  rates[cam_b] = 1e-3f * (to_b0 - first_b);
  rates[ca2_b] = 1e-3f * (first_b + to_b2 - second_b);
  rates[ca4_b] = 1e-3f * (second_b + to_b4);
  rates[pb2] = 1e-3f * (k.bind2 - k.to_pb + k.dephosphorylate2);
  rates[pb] = 1e-3f * (k.bind4 + k.to_pb - k.phosphorylate);
  rates[pt] = 1e-3f * (k.phosphorylate - k.release4 - k.to_pt2);
  rates[pt2] = 1e-3f * (k.to_pt2 - k.release2 - k.dephosphorylate2);
  rates[pa] = 1e-3f * (k.release4 + k.release2 - k.dephosphorylate);
  rates[can] = 1e-3f * (activate - to_n0 - to_n2 - to_n4);
  rates[cam_can] = 1e-3f * (to_n0 - first_n);
  rates[ca2_can] = 1e-3f * (to_n2 + first_n - second_n);
  rates[ca4_can] = 1e-3f * (to_n4 + second_n);
  return 2e-3f * (total[2] * (k.to_pt2 - k.to_pb) -
                  (first + second + first_b + second_b + activate + first_n + second_n));
}

// The other 45 values: cleft, below the sarcolemma, cytosol.
template <class Real>
MODEL void calmodulin_rates(const Real* values, const Real* parameter, Real* rates, Real* calcium) {
  for (int place = 0; place < 3; ++place) {
    const int begin = cell_values + place * cam_values;
    Real y[cam_values];
    for (int k = 0; k < cam_values; ++k)
      y[k] = values[begin + k];
    calcium[place] = cam_rates(y, values[ca_junction + place] * 1000, parameter + place * of_place,
                               parameter[potassium], parameter[magnesium], rates + begin);
  }
}

} // namespace myocyte
