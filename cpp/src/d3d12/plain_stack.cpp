#include "plain_stack.hpp"

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#ifdef __GLIBC__

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace gathernd::d3d12 {
namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);

std::string system_folder() {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<void*>(&dlopen), &info) == 0) return "";
  const std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}

// Whether the file asked for an executable stack; it does no more.
bool clear_request(std::vector<char>& file) {
  Header header;
  if (file.size() < sizeof header) return false;
  std::memcpy(&header, file.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  if (header.e_phentsize != sizeof(Segment) || header.e_phoff > file.size()) return false;
  if ((file.size() - header.e_phoff) / sizeof(Segment) < header.e_phnum) return false;
  for (size_t i = 0; i < header.e_phnum; ++i) {
    char* at = file.data() + header.e_phoff + i * sizeof(Segment);
    Segment segment;
    std::memcpy(&segment, at, sizeof segment);
    if (segment.p_type != PT_GNU_STACK || (segment.p_flags & PF_X) == 0) continue;
    segment.p_flags &= ~static_cast<decltype(segment.p_flags)>(PF_X);
    std::memcpy(at, &segment, sizeof segment);
    return true;
  }
  return false;
}

void* open_copy(const std::string& path) {
  std::ifstream source(path, std::ios::binary);
  std::vector<char> file{std::istreambuf_iterator<char>(source), {}};
  if (!clear_request(file)) return nullptr;
  const int copy = memfd_create("vkd3d", MFD_CLOEXEC);
  if (copy < 0) return nullptr;
  const std::string name = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(copy);
  const bool written = write(copy, file.data(), file.size()) == static_cast<ssize_t>(file.size());
  void* library = written ? dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  // Otherwise it stays open: the loader takes the same name for the same library.
  if (library == nullptr) close(copy);
  return library;
}

}  // namespace

void* open_with_plain_stack(const char* name) {
  const std::string folder = system_folder();
  // What it needs comes first: the loader then finds it by its name, and opens no file.
  for (const char* needed : {"libvkd3d-shader.so.1", "libvkd3d.so.1"}) {
    if (open_copy(folder + needed) == nullptr) return nullptr;
  }
  return open_copy(folder + name);
}

}  // namespace gathernd::d3d12

#else

void* gathernd::d3d12::open_with_plain_stack(const char*) { return nullptr; }

#endif
