# kerncast-probe where it sees no GPU, also on a machine that has one: a message, a next step, exit code 1, and
# no file.
set(ENV{CUDA_VISIBLE_DEVICES} "")
set(file ${CMAKE_CURRENT_BINARY_DIR}/no_gpu_measured.toml)
file(REMOVE ${file})
execute_process(COMMAND ${PROBE} -o ${file} RESULT_VARIABLE code ERROR_VARIABLE error OUTPUT_VARIABLE output)
if(NOT code EQUAL 1 OR NOT error MATCHES "error: no CUDA GPU to measure: .*\nnote: .*microbench" OR NOT output STREQUAL ""
    OR EXISTS ${file})
  message(FATAL_ERROR "exit code ${code}\n${error}${output}")
endif()
execute_process(COMMAND ${PROBE} --devise 1 RESULT_VARIABLE code ERROR_VARIABLE error)
if(NOT code EQUAL 2 OR NOT error MATCHES "error: usage")
  message(FATAL_ERROR "exit code ${code}\n${error}")
endif()
