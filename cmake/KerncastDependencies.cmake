# Third-party libraries (all Debian packages) and the compile options that every target shares.
find_package(fmt REQUIRED)
find_package(tl-expected REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(TBB REQUIRED)
find_package(mimalloc 2 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(MPI REQUIRED COMPONENTS CXX)
find_package(Boost REQUIRED COMPONENTS mpi serialization)
find_package(SQLite3 REQUIRED)
find_package(PkgConfig REQUIRED)
# The compiled library: the header-only debug build of toml++ 3.3 can abort on malformed input.
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)
pkg_check_modules(lz4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)

add_library(kerncast_compile_options INTERFACE)
# No FMA contraction and no -march=native: results must not depend on the machine.
target_compile_options(kerncast_compile_options INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -ffp-contract=off)
# GCC would copy and clear a value of 32 lanes by `rep movs` and `rep stos`, which begin slowly.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(kerncast_compile_options INTERFACE
    -mmemcpy-strategy=unrolled_loop:256:noalign,libcall:-1:noalign
    -mmemset-strategy=unrolled_loop:256:noalign,libcall:-1:noalign)
endif()
if(KERNCAST_BATCHES) # a parameter may have the name of something in another source's unnamed namespace
  target_compile_options(kerncast_compile_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-shadow>)
endif()
option(KERNCAST_WERROR "Warnings are errors (the dev preset)" OFF)
if(KERNCAST_WERROR)
  target_compile_options(kerncast_compile_options INTERFACE -Werror)
endif()
set(KERNCAST_SANITIZE "" CACHE STRING "Sanitizers for every target, e.g. address,undefined or thread")
if(KERNCAST_SANITIZE)
  add_compile_options(-fsanitize=${KERNCAST_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${KERNCAST_SANITIZE})
  foreach(sanitizer address thread) # what tests of time or memory ask for
    if(KERNCAST_SANITIZE MATCHES ${sanitizer})
      string(TOUPPER ${sanitizer} name)
      add_compile_definitions(KERNCAST_${name}_SANITIZER)
    endif()
  endforeach()
endif()
