#include "analytical/models.h"

#include "analytical/baghsorkhi.h"
#include "analytical/boat_hull.h"
#include "analytical/contention.h"
#include "analytical/cuda_guide.h"
#include "analytical/gpumech.h"
#include "analytical/gpuperf.h"
#include "analytical/hong_kim.h"
#include "analytical/isolated.h"
#include "analytical/mwp_cwp.h"
#include "analytical/roofline.h"
#include "analytical/sim2012.h"
#include "analytical/transit.h"
#include "analytical/volkov.h"
#include "analytical/wfg.h"
#include "analytical/x_model.h"

namespace kerncast::analytical {
namespace {

WarpRate roofline_at_any_occupancy(const KernelProfile& profile, double) { return roofline(profile); }

constexpr ClosedForm table[] = {{"roofline", roofline_at_any_occupancy},
                                {"boat-hull", boat_hull},
                                {"volkov", volkov},
                                {"volkov-contention", volkov_contention},
                                {"transit", transit},
                                {"x-model", x_model},
                                {"mwp-cwp", mwp_cwp_rate},
                                {"mwp-cwp-corrected", mwp_cwp_corrected_rate},
                                {"gpuperf", gpuperf},
                                {"wfg", wfg},
                                {"wfg-corrected", wfg_corrected},
                                {"gpumech-rr", gpumech_rr},
                                {"gpumech-rr-corrected", gpumech_rr_corrected},
                                {"gpumech-gto", gpumech_gto},
                                {"gpumech-gto-corrected", gpumech_gto_corrected},
                                {"cuda-guide", cuda_guide},
                                {"hong-kim", hong_kim_rate},
                                {"baghsorkhi", baghsorkhi},
                                {"zhang-owens", zhang_owens},
                                {"isolated-sum", isolated_sum},
                                {"sim2012", sim2012}};

} // namespace

std::span<const ClosedForm> closed_forms() { return table; }

std::string assumption_of(const ClosedForm& model, const KernelProfile& profile) {
  const bool unknown = profile.loaded_memory.c <= 0 && profile.loaded_memory.accesses > 0;
  if (model.name == "volkov-contention" && unknown)
    return "the GPU file has no dram.loaded_latency: DRAM answers as fast under load as alone";
  return "";
}

} // namespace kerncast::analytical
