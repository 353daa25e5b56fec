import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Environment, Profile } from '@tilemark/core';
import { pacePolling } from '@tilemark/kernels';
import { z } from 'zod';
import type { Adapter, Runtime } from './open';

/** Dawn: the only file that imports `webgpu`. Dawn opens adapters by name, under the toggles of a profile. */

/**
 * Timestamps are exact in both profiles: Dawn would round them to 65,536 ns.
 * `fast` turns off what a browser must keep on, bounds checks and zeroed
 * workgroup memory, and offers f16 even if Dawn does not trust the driver.
 */
const TOGGLES: Readonly<Record<Profile, Environment['toggles']>> = {
  default: { enabled: [], disabled: ['timestamp_quantization'] },
  fast: {
    enabled: [
      'disable_robustness',
      'disable_workgroup_init',
      'vulkan_enable_f16_on_nvidia',
      // Subgroup matrices are experimental and count as unsafe.
      'allow_unsafe_apis',
    ],
    disabled: ['timestamp_quantization'],
  },
};

/** A release of Dawn for Node, loaded. */
interface Dawn {
  readonly create: typeof import('webgpu').create;
  readonly version: string;
}

const manifestSchema = z.object({ version: z.string(), main: z.string().default('index.js') });

/** This process has one release: the one that ships, unless another is chosen before it is used. */
let loading: Promise<Dawn> | null = null;

/** Chooses the release in a folder, the package `webgpu` as the registry has it, for this process. */
export function useRelease(folder: string): void {
  loading = loadFrom(folder);
}

async function dawn(): Promise<Dawn> {
  pacePolling();
  loading ??= loadShipped();
  return loading;
}

async function loadShipped(): Promise<Dawn> {
  const { create } = await import('webgpu');
  return { create, version: installedRelease() };
}

/** The version of the package `webgpu` that is installed with this program. */
export function installedRelease(): string {
  return manifestSchema.parse(createRequire(import.meta.url)('webgpu/package.json')).version;
}

async function loadFrom(folder: string): Promise<Dawn> {
  const manifest = await readFile(join(folder, 'package.json'), 'utf8');
  const { main, version } = manifestSchema.parse(JSON.parse(manifest));
  const { create } = await import(pathToFileURL(join(folder, main)).href);
  return { create, version };
}

/** The adapters of this machine, each name once: Dawn cannot tell equal GPUs apart. */
async function list(): Promise<Adapter[]> {
  // Asked for a name that does not exist, Dawn answers with those that do.
  const { create } = await dawn();
  const error: unknown = await create(['adapter=?'])
    .requestAdapter()
    .then(
      () => null,
      (reason) => reason,
    );
  const listing = error instanceof Error ? error.message : '';
  const adapters = [...listing.matchAll(/backend: '([^']+)', name: '([^\n]+)'/g)].map(
    ([, backend = '', name = '']) => ({ backend, name }),
  );
  return adapters.filter(
    (adapter, index) => adapters.findIndex((other) => other.name === adapter.name) === index,
  );
}

/** Dawn lives only while its GPU object is referenced; an open device needs it until the process ends. */
const keepAlive = new Set<GPU>();

async function gpuOf({ name, backend }: Adapter, profile: Profile): Promise<GPU> {
  const { enabled, disabled } = TOGGLES[profile];
  const { create } = await dawn();
  const gpu = create([
    `backend=${backend}`,
    `adapter=${name}`,
    ...(enabled.length > 0 ? [`enable-dawn-features=${enabled.join(',')}`] : []),
    ...(disabled.length > 0 ? [`disable-dawn-features=${disabled.join(',')}`] : []),
  ]);
  keepAlive.add(gpu);
  return gpu;
}

export const nodeWithDawn: Runtime = {
  id: 'dawn',
  list,
  gpuOf,
  toggles: TOGGLES,
  versions: async () => ({ node: process.versions.node, webgpu: (await dawn()).version }),
};
