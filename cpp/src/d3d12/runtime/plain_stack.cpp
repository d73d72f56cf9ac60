#include "d3d12/runtime/plain_stack.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "d3d12/runtime/elf_file.hpp"

namespace gathernd::d3d12 {
namespace {

using Strings = std::vector<std::string>;

bool is_loaded(const std::string& name) {
  void* library = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library != nullptr) dlclose(library);
  return library != nullptr;
}

// The folders of LD_LIBRARY_PATH and of the program, or those of the system.
Strings search_folders(bool system) {
  Strings result;
  void* program = dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo size = {};
  if (dlinfo(program, RTLD_DI_SERINFOSIZE, &size) != 0) return result;
  std::vector<std::max_align_t> memory(size.dls_size / sizeof(std::max_align_t) + 1);
  auto* info = reinterpret_cast<Dl_serinfo*>(memory.data());
  info->dls_size = size.dls_size;
  info->dls_cnt = size.dls_cnt;
  if (dlinfo(program, RTLD_DI_SERINFO, info) != 0) return result;
  for (unsigned i = 0; i < info->dls_cnt; ++i) {
    const Dl_serpath& folder = info->dls_serpath[i];
    if (((folder.dls_flags & LA_SER_DEFAULT) != 0) == system) result.push_back(folder.dls_name);
  }
  return result;
}

// The paths of this name in the loader's cache. Each path there ends with a zero byte.
Strings cached_paths(const std::string& name) {
  std::ifstream stream("/etc/ld.so.cache", std::ios::binary);
  const std::string cache{std::istreambuf_iterator<char>(stream), {}};
  const std::string end = "/" + name + std::string(1, '\0');
  Strings result;
  for (size_t at = 0; (at = cache.find(end, at)) != std::string::npos; ++at) {
    const size_t start = cache.find_last_of('\0', at) + 1;
    result.push_back(cache.substr(start, at + 1 + name.size() - start));
  }
  return result;
}

// The file that the loader would open for the library: searches in the loader's order.
std::optional<ElfFile> find(const std::string& name, const Strings& folders) {
  Strings paths;
  const auto add_folders = [&](const Strings& added) {
    for (const std::string& folder : added) paths.push_back(folder + "/" + name);
  };
  if (name.find('/') != std::string::npos) {
    paths = {name};
  } else {
    add_folders(search_folders(/*system=*/false));
    add_folders(folders);
    const Strings cached = cached_paths(name);
    paths.insert(paths.end(), cached.begin(), cached.end());
    add_folders(search_folders(/*system=*/true));
  }
  for (const std::string& path : paths) {
    if (std::optional<ElfFile> file = ElfFile::read(path)) return file;
  }
  return {};
}

// Adds the libraries that it needs and that are not loaded yet, then the library itself.
void collect(const std::string& name, const Strings& folders, Strings* seen,
             std::vector<ElfFile>* files) {
  if (std::find(seen->begin(), seen->end(), name) != seen->end() || is_loaded(name)) return;
  seen->push_back(name);
  std::optional<ElfFile> file = find(name, folders);
  if (!file) return;
  for (const std::string& needed : file->needed()) {
    collect(needed, file->folders(), seen, files);
  }
  files->push_back(*std::move(file));
}

void* open_copy(ElfFile file) {
  file.ask_for_plain_stack();
  const std::vector<char>& bytes = file.bytes();
  const int copy = memfd_create("plain_stack", MFD_CLOEXEC);
  if (copy < 0) return nullptr;
  const std::string name = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(copy);
  const bool written = ::write(copy, bytes.data(), bytes.size()) == std::ssize(bytes);
  void* library = written ? dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  // If it was opened, `copy` stays open: a reused number would give another library the same name.
  if (library == nullptr) close(copy);
  return library;
}

}  // namespace

void* open_with_plain_stack(const char* name) {
  Strings seen;
  std::vector<ElfFile> files;
  collect(name, {}, &seen, &files);
  const auto asks = [](const ElfFile& file) { return file.asks_for_executable_stack(); };
  if (std::none_of(files.begin(), files.end(), asks)) return nullptr;
  // Needed libraries come first: the loader then finds them by name and opens no file.
  void* library = nullptr;
  for (const ElfFile& file : files) {
    library = asks(file) ? open_copy(file) : dlopen(file.path().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
  }
  return library;
}

}  // namespace gathernd::d3d12
