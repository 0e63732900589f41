# Declares one module of kerncast: a static library whose public headers lie in
# <module>/include/<module path>/ and whose sources see only the public headers of the modules it links.
#
#   kerncast_module(memory_model [COLD] SOURCES src/amat.cpp DEPENDS kerncast::configs [PRIVATE TBB::tbb])
#
# COLD: nothing in it takes long, so that it is optimised little (which would take a compiler half as long again).
# DEPENDS are visible through the module's public headers, PRIVATE only to its own sources. An include of
# any other module's header does not compile, because its include folder is not on the command line.
#
# A module's sources are compiled in batches, which parse the headers that they share once (a third of the CPU time or
# less): what unnamed namespaces define is defined once within a module, or has other parameters. Sources include what
# they use all the same, as clang-tidy sees each alone. Off where a compiler cache is in use, which does better after
# small changes, or with -DKERNCAST_BATCHES=OFF.
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(kerncast_batches OFF)
else()
  set(kerncast_batches ON)
endif()
option(KERNCAST_BATCHES "Compile the sources of a module in batches" ${kerncast_batches})

function(kerncast_module name)
  cmake_parse_arguments(M "COLD" "" "SOURCES;DEPENDS;PRIVATE" ${ARGN})
  add_library(kerncast_${name} STATIC ${M_SOURCES})
  add_library(kerncast::${name} ALIAS kerncast_${name})
  target_include_directories(kerncast_${name}
    PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include
    PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  set_target_properties(kerncast_${name} PROPERTIES UNITY_BUILD ${KERNCAST_BATCHES} UNITY_BUILD_BATCH_SIZE 24)
  if(M_COLD)
    target_compile_options(kerncast_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  target_link_libraries(kerncast_${name} PUBLIC ${M_DEPENDS} PRIVATE kerncast_compile_options ${M_PRIVATE})
endfunction()
