// fxcw IN.hlsl OUT.dxbc: compiles the entry `main` for cs_5_0 with the d3dcompiler_47.dll next to it,
// and strips what only debuggers and reflection read.
#define COBJMACROS
#include <windows.h>

#include <d3dcommon.h>
#include <stdio.h>

typedef HRESULT(WINAPI *Compile)(const void *, SIZE_T, const char *, const D3D_SHADER_MACRO *,
                                 ID3DInclude *, const char *, const char *, UINT, UINT,
                                 ID3DBlob **, ID3DBlob **);
typedef HRESULT(WINAPI *Strip)(const void *, SIZE_T, UINT, ID3DBlob **);

enum { kIeeeStrict = 1 << 13, kOptimize = 1 << 15 };
enum { kStripReflection = 1, kStripDebug = 2, kStripTests = 4, kStripPrivate = 8 };

int main(int argc, char **argv) {
  static char source[1 << 20];
  ID3DBlob *code = NULL, *stripped = NULL, *errors = NULL;
  HMODULE library;
  Compile compile;
  Strip strip;
  size_t size;
  FILE *file;
  HRESULT result;
  if (argc != 3 || (file = fopen(argv[1], "rb")) == NULL) return 2;
  size = fread(source, 1, sizeof source, file);
  fclose(file);
  library = LoadLibraryA("d3dcompiler_47.dll");
  compile = (Compile)(void *)GetProcAddress(library, "D3DCompile");
  strip = (Strip)(void *)GetProcAddress(library, "D3DStripShader");
  if (compile == NULL || strip == NULL) return 2;
  result = compile(source, size, "shader.hlsl", NULL, NULL, "main", "cs_5_0",
                   kIeeeStrict | kOptimize, 0, &code, &errors);
  if (errors != NULL) fputs((const char *)ID3D10Blob_GetBufferPointer(errors), stderr);
  if (FAILED(result)) return 1;
  result = strip(ID3D10Blob_GetBufferPointer(code), ID3D10Blob_GetBufferSize(code),
                 kStripReflection | kStripDebug | kStripTests | kStripPrivate, &stripped);
  if (FAILED(result) || (file = fopen(argv[2], "wb")) == NULL) return 1;
  fwrite(ID3D10Blob_GetBufferPointer(stripped), 1, ID3D10Blob_GetBufferSize(stripped), file);
  return fclose(file) == 0 ? 0 : 1;
}
