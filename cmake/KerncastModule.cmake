# Declares one module of kerncast: a static library whose public headers lie in
# <module>/include/<module path>/ and whose sources see only the public headers of the modules it links.
#
#   kerncast_module(memory_model SOURCES src/amat.cpp DEPENDS kerncast::configs [PRIVATE TBB::tbb])
#
# DEPENDS are visible through the module's public headers, PRIVATE only to its own sources. An include of
# any other module's header does not compile, because its include folder is not on the command line.
function(kerncast_module name)
  cmake_parse_arguments(M "" "" "SOURCES;DEPENDS;PRIVATE" ${ARGN})
  add_library(kerncast_${name} STATIC ${M_SOURCES})
  add_library(kerncast::${name} ALIAS kerncast_${name})
  target_include_directories(kerncast_${name}
    PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include
    PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_link_libraries(kerncast_${name} PUBLIC ${M_DEPENDS} PRIVATE kerncast_compile_options ${M_PRIVATE})
endfunction()
