import type { Engine } from '@tilemark/kernels';
import { z } from 'zod';
import { line, MAXIMA, named, word, words } from '../schema/maxima';

/** The sets of toggles that Dawn runs with. Profiles are never mixed in a ranking. */
export const PROFILES = ['default', 'fast'] as const;
export const profileSchema = z.enum(PROFILES);
export type Profile = z.infer<typeof profileSchema>;
export const PROFILE_WORDS: Readonly<Record<Profile, string>> = {
  default: 'default: as in a browser',
  fast: 'fast: without bounds checks',
};

/** Device classes are separate groups on the leaderboard. */
export const deviceClassSchema = z.enum(['gpu', 'software', 'cpu', 'browser']);
export type DeviceClass = z.infer<typeof deviceClassSchema>;

/**
 * Whether a device is made of processors that its machine shares with all else that runs there. What
 * a probe finds of it depends on that, so that its roof alone rules no result out.
 */
export const sharesHost = (kind: DeviceClass): boolean => kind === 'software' || kind === 'cpu';

/** The class whose suites a device runs: on a CPU a browser is as slow as a software device. */
export const suiteClass = ({
  architecture,
  class: kind,
}: Pick<DeviceIdentity, 'architecture' | 'class'>): DeviceClass =>
  kind === 'browser' && architecture === 'software' ? 'software' : kind;

export const engineSchema = z.enum(['tint', 'naga', 'webkit']);

/** What runs shaders, and the engine that compiles them there: results of two are never ranked together. */
export const RUNTIMES: Readonly<
  Record<string, { readonly title: string; readonly engine: Engine }>
> = {
  dawn: { title: 'Node (Dawn)', engine: 'tint' },
  chrome: { title: 'Chrome', engine: 'tint' },
  edge: { title: 'Edge', engine: 'tint' },
  opera: { title: 'Opera', engine: 'tint' },
  deno: { title: 'Deno (wgpu)', engine: 'naga' },
  firefox: { title: 'Firefox', engine: 'naga' },
  safari: { title: 'Safari', engine: 'webkit' },
};

/** Whether a device runs under profiles beside `default`: those are toggles of Dawn in Node. */
export const hasProfiles = ({
  class: kind,
  runtime = 'dawn',
}: {
  readonly class: DeviceClass;
  readonly runtime?: string | undefined;
}): boolean => (kind === 'gpu' || kind === 'software') && runtime === 'dawn';

/** Its place in lists: those that are not known come last. */
export const runtimePlace = (runtime: string | undefined): number =>
  [...Object.keys(RUNTIMES), runtime].indexOf(runtime);

/** Null: none is known, or none is needed, as on the host. */
export const engineOf = (runtime: string): Engine | null => RUNTIMES[runtime]?.engine ?? null;

/** The identity of a device: machines with equal identities measure the same thing. */
export const deviceIdentitySchema = z.object({
  vendor: z.string().min(1).max(120),
  architecture: z.string().max(120),
  /** Marketing or driver name, for example `NVIDIA H200`. */
  device: z.string().min(1).max(200),
  /** `vulkan`, `d3d12`, `metal`, or `host` for the CPU. */
  backend: z.string().min(1).max(40),
  /** What runs the shader: one of RUNTIMES, or `node` for the CPU. */
  runtime: z.string().min(1).max(40),
  class: deviceClassSchema,
});
export type DeviceIdentity = z.infer<typeof deviceIdentitySchema>;

/** The limits and features that decide feasibility, as `feasible` of @tilemark/kernels reads them. */
export const deviceCapabilitiesSchema = z.object({
  features: words,
  maxComputeInvocationsPerWorkgroup: z.number().int().positive(),
  maxComputeWorkgroupSizeX: z.number().int().positive(),
  maxComputeWorkgroupSizeY: z.number().int().positive(),
  maxComputeWorkgroupSizeZ: z.number().int().positive(),
  maxComputeWorkgroupStorageSize: z.number().int().positive(),
  maxComputeWorkgroupsPerDimension: z.number().int().positive(),
  maxStorageBufferBindingSize: z.number().int().positive(),
  maxBufferSize: z.number().int().positive(),
});
export type DeviceCapabilities = z.infer<typeof deviceCapabilitiesSchema>;

/** The limits that every WebGPU device offers without being asked (WebGPU, 3.6.2). */
export const PLAIN_WEBGPU: DeviceCapabilities = {
  features: [],
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupSizeY: 256,
  maxComputeWorkgroupSizeZ: 64,
  maxComputeWorkgroupStorageSize: 16_384,
  maxComputeWorkgroupsPerDimension: 65_535,
  maxStorageBufferBindingSize: 2 ** 27,
  maxBufferSize: 2 ** 28,
};

type Limits = Omit<DeviceCapabilities, 'features'>;

/** All limits that decide feasibility, by their names. */
export const limitsBy = (limitOf: (limit: keyof Limits) => number): Limits => {
  const { features: _, ...limits } = PLAIN_WEBGPU;
  const names = Object.keys(limits) as (keyof Limits)[];
  return Object.fromEntries(names.map((name) => [name, limitOf(name)])) as Limits;
};

/**
 * Everything that could change a number, except what changes from run to run, such as clocks.
 * Stored once per distinct content hash.
 */
export const environmentSchema = z.object({
  device: deviceIdentitySchema,
  capabilities: deviceCapabilitiesSchema,
  profile: profileSchema,
  driver: line,
  toggles: z.object({ enabled: words, disabled: words }),
  runtimeVersions: named(word, line, MAXIMA.words),
  os: line,
  cpu: z.object({ model: line, cores: z.number().int().positive() }),
  /** Null where a browser does not tell. */
  memoryBytes: z.number().int().positive().nullable(),
  tilemarkVersion: word,
});
export type Environment = z.infer<typeof environmentSchema>;

/**
 * A driver as people call it. Dawn appends the version as numbers to a description that names it:
 * `NVIDIA: 580.159.04 580.159.4.0` is `NVIDIA 580.159.04`.
 */
export const driverText = (driver: string): string =>
  driver.replace(/^([^:]+): (.*\d.*) \d+(?:\.\d+)+$/, '$1 $2');
