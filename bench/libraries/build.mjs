#!/usr/bin/env node
// Installs the libraries into this folder and bundles libraries.mjs with them to
// dist/libraries.mjs, which needs Node, `webgpu` and, for ONNX Runtime, `onnxruntime-node` and
// `onnxruntime-common` beside it, and no network.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = fileURLToPath(new URL('.', import.meta.url));
execFileSync('npm', ['ci', '--workspaces=false', '--ignore-scripts', '--no-audit', '--no-fund'], {
  cwd: folder,
  stdio: 'inherit',
});
await build({
  absWorkingDir: folder,
  entryPoints: ['libraries.mjs'],
  outfile: 'dist/libraries.mjs',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  loader: { '.wgsl': 'text' },
  external: ['webgpu', 'onnxruntime-node'],
  banner: {
    js: "import { createRequire as bundleRequire } from 'node:module';\nconst require = bundleRequire(import.meta.url);",
  },
  legalComments: 'linked',
  logLevel: 'warning',
});
