import { parseWgsl, validate } from 'naga-wasm';
import type { GpuKernel } from './kernel';
import { defaultsOf } from './variant';

/** What naga, the compiler of Firefox, wgpu and Deno, says is wrong with a shader; null: nothing. */
export function nagaFault(source: string): string | null {
  try {
    const module = parseWgsl(source);
    try {
      validate(module).free();
    } finally {
      module.free();
    }
    return null;
  } catch (error) {
    return String(error instanceof Error ? error.message : error);
  }
}

/** Whether Tint alone compiles a kernel: subgroup matrices are an extension of Chromium. */
export const needsTint = ({ dtypes, needs, tunables }: GpuKernel): boolean =>
  dtypes.some((dtype) =>
    needs(defaultsOf(tunables), dtype).features.includes('chromium-experimental-subgroup-matrix'),
  );
