// A side of engines.mjs: the WebGPU of the runtime that this is run in, Dawn in Node or wgpu in Deno.
// It answers { who: true } with its device, and each question with the times of variants.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { pacePolling } from '@tilemark/kernels';
import { openSide, type Question } from './engine-times';

const isDeno = 'deno' in process.versions;
const tell = (answer: object) => void process.stdout.write(`${JSON.stringify(answer)}\n`);

/** Dawn as in a browser, bounds checks included; but with exact timestamps, and f16 on NVIDIA cards, which wgpu offers. */
async function dawn(): Promise<GPU> {
  pacePolling();
  const { create } = await import('webgpu');
  return create([
    'enable-dawn-features=vulkan_enable_f16_on_nvidia',
    'disable-dawn-features=timestamp_quantization',
  ]);
}

const version = () => createRequire(import.meta.url)('webgpu/package.json').version;
const runtime = isDeno
  ? `Deno ${process.versions.deno}`
  : `Node ${process.versions.node}, webgpu ${version()}`;
const gpu = isDeno ? navigator.gpu : await dawn();
const { ask, ...side } = await openSide(gpu, isDeno ? 'naga' : 'tint');
for await (const line of createInterface({ input: process.stdin })) {
  const question: Question | { readonly who: true } = JSON.parse(line);
  tell('who' in question ? { ...side, runtime } : await ask(question));
}
process.exit(0);
