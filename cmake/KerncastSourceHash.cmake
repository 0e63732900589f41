# Gives a module a private header <name>.h that defines the string <name>, a hash of the text of the sources
# FOR that it stands for: what a module stores is asked for again only by a program that computes the same.
#
#   kerncast_source_hash(result_cache simulator_version FOR ${simulator})
set(kerncast_source_hash_script ${CMAKE_CURRENT_LIST_DIR}/source_hash.cmake)
function(kerncast_source_hash module name)
  cmake_parse_arguments(H "" "" "FOR" ${ARGN})
  set(header ${CMAKE_CURRENT_BINARY_DIR}/generated/${name}.h)
  add_custom_command(OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${H_FOR}" -DNAME=${name} -DOUTPUT=${header} -P ${kerncast_source_hash_script}
    DEPENDS ${H_FOR} ${kerncast_source_hash_script}
    VERBATIM)
  target_sources(kerncast_${module} PRIVATE ${header})
  target_include_directories(kerncast_${module} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated)
endfunction()
