// --arg TYPE:VALUE: the parameters of a kernel, in order.
#pragma once

#include <string>
#include <vector>

#include "application/application.h"
#include "support/diagnostics.h"
#include "tasklist/launch.h"

namespace kerncast::app {

struct ArgumentList {
  std::vector<tasklist::Argument> arguments;
  std::vector<tasklist::StructMember> members;
  // Named by their argument's number, from 1; in a structure also by the member's: "2.1".
  std::vector<application::Buffer> buffers;
  std::vector<tasklist::Image> textures; // each with a buffer of its own, likewise
};

// i32:4096, u64:7, f32:0.5, buf:67108864 (contents unknown), buf:4096=iota, buf:4096=random:f32:7 (seed 7),
// buf:4096=constant:u8:255, buf:4096=@file; tex:u8x4:640x480:unit_range:linear=@file (texture_values.h);
// tensor:f16:1024x512:64x128=iota: a tensor map and its tensor (tensor_values.h);
// struct:buf:4096=iota,i32:5,u8:1,@24:f64:2: a structure passed by value, its members in order, the last one
// at byte 24. A comma in a file's name cannot be written there.
// Every argument that is wrong is an error of its own.
Expected<ArgumentList> parse_arguments(const std::vector<std::string>& texts);

} // namespace kerncast::app
