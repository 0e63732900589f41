// Claim: rodinia/heartwall follows each point to where its template correlates best with the frame, not
// farther than it may move, and renews area and template every tenth frame.
#include <algorithm>
#include <deque>

#include "workload.h"

namespace kerncast::functional_test::heartwall_test {
namespace {

constexpr int rows = 61, columns = 55, around = 4, searched = 7, move = 6, points = 3, frames = 12;
constexpr int side = 2 * around + 1, area = 2 * searched + 1, places = side + area - 1,
              padded = area + 2 * side;
constexpr double kept = 0.75;

struct Point {
  std::int32_t row = 0, column = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

using Image = std::vector<double>; // column by column

std::size_t at(int row, int column, int height) { return static_cast<std::size_t>(column * height + row); }

Image cut(const std::vector<float>& frame, Point centre, int reach) {
  Image part;
  for (int column = centre.column - reach; column <= centre.column + reach; ++column)
    for (int row = centre.row - reach; row <= centre.row + reach; ++row)
      part.push_back(frame[at(row, column, rows)]);
  return part;
}

// Of a template with what it covers when its last corner is at a place, with zeros outside of the area.
double correlation(const Image& pattern, const Image& searched_in, int place_row, int place_column) {
  double product = 0, sum = 0, squares = 0, own = 0, own_squares = 0;
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i) {
      const int row = place_row - side + 1 + i, column = place_column - side + 1 + j;
      const bool inside = row >= 0 && row < area && column >= 0 && column < area;
      const double value = inside ? searched_in[at(row, column, area)] : 0, mine = pattern[at(i, j, side)];
      product += value * mine;
      sum += value;
      squares += value * value;
      own += mine;
      own_squares += mine * mine;
    }
  constexpr double count = side * side;
  const double deviation = std::sqrt(count - 1) * std::sqrt(own_squares / count - own / count * own / count);
  return (product - sum * own / count) / (std::sqrt(std::max(squares - sum * sum / count, 0.0)) * deviation);
}

// Places that the last one reaches: a window of `move` of which it is past the middle.
Point best_place(const Image& pattern, const Image& searched_in, Point last) {
  Point best;
  double greatest = 0;
  for (int column = last.column - move / 2; column < last.column + move - move / 2; ++column)
    for (int row = last.row - move / 2; row < last.row + move - move / 2; ++row) {
      const double value = std::fabs(correlation(pattern, searched_in, row, column));
      if (value > greatest) {
        greatest = value;
        best = {row, column};
      }
    }
  return best;
}

// The scene is shifted by some pixels from frame to frame.
std::vector<float> frame_of(int number) {
  const auto scene = random_floats(100 * 100, 1);
  std::vector<float> frame;
  for (int column = 0; column < columns; ++column)
    for (int row = 0; row < rows; ++row)
      frame.push_back(scene[at(row + 20 + number % 4, column + 20 - number / 3, 100)]);
  return frame;
}

// With the number where the host copies it before the launch.
Code code_of(int number) {
  const auto source = read_source(std::string(KERNCAST_SOURCE_DIR) + "/" + path_of("rodinia/heartwall"));
  EXPECT_TRUE(source) << render(source.error());
  std::string text(source->text());
  const std::string declared = "frame_number;";
  text.replace(text.find(declared), declared.size(), "frame_number = " + std::to_string(number) + ";");
  return Code::of_text(text, "kernel");
}

class OnDevice {
public:
  explicit OnDevice(const std::vector<Point>& centres)
      : points_(device_.buffer(centres)), history_(device_.buffer(std::vector<Point>(points * frames))),
        templates_(device_.unknown_buffer<float>(points * side * side)) {
    for (const int count : {area * area, places * places, padded * padded, places * padded, places * places,
                            places * places, places * places})
      work_.push_back(device_.unknown_buffer<float>(static_cast<std::size_t>(points * count)));
  }
  void follow(int number) {
    Launch launch;
    launch.grid = {points};
    launch.block = {256};
    const Argument structure{Argument::Kind::structure, 0, 0, 0};
    launch.arguments = {
        structure, device_.buffer(frame_of(number)), integer(frames), points_, history_, templates_,
        structure};
    std::uint32_t word = 0;
    for (const Argument& size :
         {integer(rows), integer(around), integer(searched), integer(move), real(static_cast<float>(kept))})
      launch.members.push_back({0, 4 * word++, 4, size});
    std::uint32_t pointer = 0;
    for (const Argument& buffer : work_)
      launch.members.push_back({6, 8 * pointer++, 8, buffer});
    const Code& code = codes_.emplace_back(code_of(number));
    const auto result = code.kernel().run(launch, device_.memory, {});
    EXPECT_TRUE(result) << error_of(result);
  }
  std::vector<Point> history() const { return device_.read<Point>(history_); }
  std::vector<Point> centres() const { return device_.read<Point>(points_); }
  std::vector<float> templates() const { return device_.read<float>(templates_); }

private:
  std::deque<Code> codes_; // variables belong to a module, so all live until the end
  Device device_;
  Argument points_, history_, templates_;
  std::vector<Argument> work_;
};

TEST(Heartwall, FollowsPoints) {
  std::vector<Point> centres = {{20, 18}, {33, 30}, {40, 25}};
  OnDevice device(centres);
  std::vector<Image> templates;
  for (const Point centre : centres)
    templates.push_back(cut(frame_of(0), centre, around));
  std::vector<Point> expected(points * frames);
  constexpr int middle = searched + around;
  for (int number = 0; number < frames; ++number) {
    device.follow(number);
    const auto frame = frame_of(number);
    for (std::size_t p = 0; p < points; ++p) {
      Point* mine = &expected[p * frames];
      if (number == 0) {
        mine[0] = centres[p];
        continue;
      }
      const Point last = mine[number - 1], centre = centres[p];
      const Point place = best_place(templates[p], cut(frame, centre, searched),
                                     {middle + last.row - centre.row, middle + last.column - centre.column});
      mine[number] = {centre.row + place.row - middle, centre.column + place.column - middle};
      if (number % 10 != 0)
        continue;
      centres[p] = mine[number];
      const Image now = cut(frame, centres[p], around);
      std::transform(now.begin(), now.end(), templates[p].begin(), templates[p].begin(),
                     [](double seen, double old) { return kept * old + (1 - kept) * seen; });
    }
  }
  EXPECT_EQ(device.history(), expected);
  EXPECT_EQ(device.centres(), centres);
  std::vector<double> all;
  for (const Image& pattern : templates)
    all.insert(all.end(), pattern.begin(), pattern.end());
  expect_near(device.templates(), all, 1e-6);
  EXPECT_NE(expected[1], expected[0]); // something moved
}

} // namespace
} // namespace kerncast::functional_test::heartwall_test
