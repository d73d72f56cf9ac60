// fxcw IN.hlsl OUT.dxbc: compiles the entry `main` for cs_5_0 with the d3dcompiler_47.dll beside it.
#define COBJMACROS
#include <windows.h>

#include <d3dcommon.h>
#include <stdio.h>

typedef HRESULT(WINAPI *Compile)(const void *, SIZE_T, const char *, const D3D_SHADER_MACRO *,
                                 ID3DInclude *, const char *, const char *, UINT, UINT,
                                 ID3DBlob **, ID3DBlob **);

enum { kIeeeStrict = 1 << 13, kOptimize = 1 << 15 };

int main(int argc, char **argv) {
  static char source[1 << 20];
  ID3DBlob *code = NULL, *errors = NULL;
  Compile compile;
  size_t size;
  FILE *file;
  HRESULT result;
  if (argc != 3 || (file = fopen(argv[1], "rb")) == NULL) return 2;
  size = fread(source, 1, sizeof source, file);
  fclose(file);
  compile = (Compile)(void *)GetProcAddress(LoadLibraryA("d3dcompiler_47.dll"), "D3DCompile");
  if (compile == NULL) return 2;
  result = compile(source, size, "shader.hlsl", NULL, NULL, "main", "cs_5_0",
                   kIeeeStrict | kOptimize, 0, &code, &errors);
  if (errors != NULL) fputs((const char *)ID3D10Blob_GetBufferPointer(errors), stderr);
  if (FAILED(result) || (file = fopen(argv[2], "wb")) == NULL) return 1;
  fwrite(ID3D10Blob_GetBufferPointer(code), 1, ID3D10Blob_GetBufferSize(code), file);
  return fclose(file) == 0 ? 0 : 1;
}
