// The parts of a shared library's file that the loader reads.
#pragma once

#include <link.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gathernd::d3d12 {

class ElfFile {
 public:
  // No value if the file is not a library for this process.
  static std::optional<ElfFile> read(const std::string& path);

  const std::string& path() const { return path_; }
  const std::vector<char>& bytes() const { return bytes_; }

  // The names of the libraries that it needs, and the folders that are searched for them first.
  std::vector<std::string> needed() const { return strings(DT_NEEDED); }
  std::vector<std::string> folders() const;

  bool asks_for_executable_stack() const;
  void ask_for_plain_stack();

 private:
  using Segment = ElfW(Phdr);
  using Entry = ElfW(Dyn);

  // The strings of the dynamic section with this tag.
  std::vector<std::string> strings(decltype(Entry::d_tag) tag) const;
  size_t offset_of(size_t address) const;

  std::string path_;
  std::vector<char> bytes_;
  size_t segments_at_ = 0;
  std::vector<Segment> segments_;
};

}  // namespace gathernd::d3d12
