#include "d3d12/runtime/elf_file.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace gathernd::d3d12 {
namespace {

using Header = ElfW(Ehdr);

// Up to `count` values at an offset: as many as the file has.
template <class T>
std::vector<T> values(const std::vector<char>& bytes, size_t offset, size_t count) {
  if (offset > bytes.size()) return {};
  std::vector<T> result(std::min(count, (bytes.size() - offset) / sizeof(T)));
  if (!result.empty()) std::memcpy(result.data(), &bytes[offset], result.size() * sizeof(T));
  return result;
}

std::string string_at(const std::vector<char>& bytes, size_t offset) {
  if (offset >= bytes.size()) return "";
  return {&bytes[offset], strnlen(&bytes[offset], bytes.size() - offset)};
}

bool is_for_this_process(const Header& header) {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<void*>(&dlopen), &info) == 0) return false;
  const Header& own = *static_cast<const Header*>(info.dli_fbase);
  return std::memcmp(header.e_ident, own.e_ident, EI_VERSION + 1) == 0 &&
         header.e_machine == own.e_machine && header.e_phentsize == sizeof(ElfW(Phdr));
}

void replace_all(std::string* text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text->find(from, at)) != std::string::npos; at += to.size()) {
    text->replace(at, from.size(), to);
  }
}

}  // namespace

std::optional<ElfFile> ElfFile::read(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};  // /dev/zero has no end
  std::ifstream stream(path, std::ios::binary);
  ElfFile file;
  file.path_ = path;
  file.bytes_.resize(sizeof(Header));
  if (!stream.read(file.bytes_.data(), sizeof(Header))) return {};
  const Header header = values<Header>(file.bytes_, 0, 1)[0];
  if (!is_for_this_process(header)) return {};
  file.bytes_.insert(file.bytes_.end(), std::istreambuf_iterator<char>(stream), {});
  file.segments_at_ = header.e_phoff;
  file.segments_ = values<Segment>(file.bytes_, header.e_phoff, header.e_phnum);
  return file;
}

std::vector<std::string> ElfFile::folders() const {
  std::vector<std::string> lists = strings(DT_RUNPATH);
  if (lists.empty()) lists = strings(DT_RPATH);
  std::error_code error;
  const std::string origin = std::filesystem::absolute(path_, error).parent_path();
  std::vector<std::string> result;
  for (std::string& list : lists) {
    replace_all(&list, "$ORIGIN", origin);
    replace_all(&list, "${ORIGIN}", origin);
    for (size_t at = 0; at <= list.size();) {
      const size_t end = std::min(list.find(':', at), list.size());
      result.push_back(list.substr(at, end - at));
      at = end + 1;
    }
  }
  return result;
}

bool ElfFile::asks_for_executable_stack() const {
  for (const Segment& segment : segments_) {
    if (segment.p_type == PT_GNU_STACK) return (segment.p_flags & PF_X) != 0;
  }
  return false;
}

void ElfFile::ask_for_plain_stack() {
  for (Segment& segment : segments_) {
    if (segment.p_type == PT_GNU_STACK) segment.p_flags &= ~decltype(segment.p_flags){PF_X};
  }
  std::memcpy(&bytes_[segments_at_], segments_.data(), segments_.size() * sizeof(Segment));
}

std::vector<std::string> ElfFile::strings(decltype(Entry::d_tag) tag) const {
  std::vector<std::string> result;
  for (const Segment& segment : segments_) {
    if (segment.p_type != PT_DYNAMIC) continue;
    const size_t count = segment.p_filesz / sizeof(Entry);
    const std::vector<Entry> entries = values<Entry>(bytes_, segment.p_offset, count);
    size_t names = bytes_.size();
    for (const Entry& entry : entries) {
      if (entry.d_tag == DT_STRTAB) names = offset_of(entry.d_un.d_ptr);
    }
    for (const Entry& entry : entries) {
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == tag) result.push_back(string_at(bytes_, names + entry.d_un.d_val));
    }
  }
  return result;
}

size_t ElfFile::offset_of(size_t address) const {
  for (const Segment& segment : segments_) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
    const size_t within = address - segment.p_vaddr;
    if (within < segment.p_filesz) return segment.p_offset + within;
  }
  return bytes_.size();
}

}  // namespace gathernd::d3d12
