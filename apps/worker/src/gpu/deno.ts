import type { Runtime } from './open';

/** wgpu in Deno, which opens the adapter that it prefers, and has no toggles. */

/** Throws Error where Deno was started without its WebGPU. */
function webGpu(): GPU {
  if (navigator.gpu) return navigator.gpu;
  throw new Error('Deno offers its WebGPU with a flag: start it as deno run --unstable-webgpu.');
}

export const deno: Runtime = {
  id: 'deno',
  list: async () => {
    const adapter = await webGpu().requestAdapter({ powerPreference: 'high-performance' });
    return adapter ? [{ name: adapter.info.description, backend: 'webgpu' }] : [];
  },
  gpuOf: async () => webGpu(),
  toggles: { default: { enabled: [], disabled: [] } },
  versions: async () => ({ deno: process.versions.deno ?? 'unknown' }),
};
