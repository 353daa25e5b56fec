import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

test('the package runs in a browser tab: no Node, no Dawn, nothing at import', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('./index.ts', import.meta.url))],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'kernels',
    loader: { '.wgsl': 'text' },
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  expect(imports.filter(({ external }) => external)).toEqual([]);
  expect(Object.keys(metafile.inputs).filter((path) => path.includes('node_modules'))).toEqual([]);

  // A bare context has the language and nothing else: no process, require, performance or window.
  const context = createContext({});
  runInContext(outputFiles[0]?.text ?? '', context);
  const address = runInContext("kernels.parseVariant('matmul/tiled[TILE=8]').address", context);
  expect(address).toMatch(/^matmul\/tiled\[TILE=8,/);
  const wgsl = runInContext(
    "kernels.specialise(kernels.kernelById('transpose/copy'), { WORKGROUP: 64 }, 'f16')",
    context,
  );
  expect(wgsl).toContain('enable f16;');
  expect(wgsl).toContain('const WORKGROUP: u32 = 64u;');
});
