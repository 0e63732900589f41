// A kernel's name as PTX spells it, as C++ spells it, or none where there is only one.
#include "lower_ptx.h"

namespace kerncast::lowering {
namespace {

using testing::HasSubstr;

const char* const two_kernels = ".version 8.0 .target sm_80 .address_size 64\n"
                                ".entry _Z7hotspotPfi() { ret; }\n"       // hotspot(float*, int)
                                ".entry _ZN2ns4copyIfEEvPT_() { ret; }\n" // void ns::copy<float>(float*)
                                ".entry _ZN2ns4copyIdEEvPT_() { ret; }\n" // void ns::copy<double>(double*)
                                ".entry plain() { ret; }\n"
                                ".func helper() { ret; }\n";

std::string found(const char* name) {
  const auto module = parse_ptx(two_kernels);
  const auto kernel = select_kernel(module, name);
  return kernel ? std::string((*kernel)->name) : render(kernel.error());
}

TEST(Kernel, is_found_by_mangled_and_plain_name) {
  EXPECT_EQ(found("_Z7hotspotPfi"), "_Z7hotspotPfi");
  EXPECT_EQ(found("plain"), "plain");
}

TEST(Kernel, is_found_by_the_name_in_the_source) {
  EXPECT_EQ(found("hotspot"), "_Z7hotspotPfi");
  EXPECT_EQ(found("hotspot(float*, int)"), "_Z7hotspotPfi");
  EXPECT_EQ(found("void ns::copy<float>(float*)"), "_ZN2ns4copyIfEEvPT_");
}

TEST(Kernel, of_two_instances_must_be_named_exactly) {
  EXPECT_THAT(found("copy"), HasSubstr("test.ptx: error: 'copy' names 2 kernels"));
  EXPECT_THAT(found("ns::copy"), HasSubstr("_ZN2ns4copyIdEEvPT_ (void ns::copy<double>(double*))"));
}

TEST(Kernel, that_does_not_exist_is_answered_with_the_nearest_and_all) {
  EXPECT_THAT(found("hotspott"), HasSubstr("error: there is no kernel 'hotspott'"));
  EXPECT_THAT(found("hotspott"), HasSubstr("note: did you mean 'hotspot'?"));
  EXPECT_THAT(found("hotspott"), HasSubstr("note: the kernels of this module are: _Z7hotspotPfi"));
  EXPECT_THAT(found("helper"), HasSubstr("there is no kernel 'helper'")); // a .func is no kernel
}

TEST(Kernel, without_name_is_the_only_one) {
  EXPECT_THAT(found(""), HasSubstr("this module has 4 kernels"));
  const auto module = parse_ptx(kernel("ret;"));
  EXPECT_EQ((*select_kernel(module, ""))->name, "k");
}

TEST(Kernel, is_missing_in_a_module_of_functions) {
  const auto module = parse_ptx(".version 8.0 .target sm_80 .address_size 64\n.func f() { ret; }");
  EXPECT_THAT(render(select_kernel(module, "f").error()), HasSubstr("no kernel"));
}

} // namespace
} // namespace kerncast::lowering
