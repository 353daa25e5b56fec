import { z } from 'zod';
import { type environmentSchema, profileSchema } from '../measure/device';
import { problemSchema } from '../plan/spec';
import { address, line } from '../schema/maxima';
import { date, id } from './answer';
import { deviceRefSchema } from './device';

/** The software under a device, which may change unannounced: a change names it. */
export const softwareSchema = z.object({
  driver: line,
  /** Of Dawn or the browser, for example `webgpu 0.6.2`; null where neither ran the shader. */
  runtime: line.nullable(),
});
export type Software = z.infer<typeof softwareSchema>;

/** The software of an environment: the runtime is the one that runs shaders, and Node runs none. */
export function softwareOf({
  driver,
  runtimeVersions,
}: Pick<z.infer<typeof environmentSchema>, 'driver' | 'runtimeVersions'>): Software {
  const shown = Object.entries(runtimeVersions)
    .filter(([name]) => name !== 'node')
    .map(([name, version]) => `${name} ${version}`);
  return { driver, runtime: shown.toSorted().join(', ') || null };
}

/** A variant of the sentinel that is slower, faster or wrong under new software of a device. */
export const changeSchema = z.object({
  /** That of the first result that shows it: ids ascend with time. */
  id,
  kind: z.enum(['SLOW', 'FAST', 'INCORRECT']),
  at: date,
  device: deviceRefSchema,
  address,
  problem: problemSchema,
  profile: profileSchema,
  software: softwareSchema,
  before: z.object({
    /** The last result under the software before. */
    resultId: id,
    software: softwareSchema,
  }),
  /** Times as fast as before, with its 95% interval; null where it is wrong. */
  ratio: z
    .object({
      value: z.number().positive(),
      low: z.number().positive(),
      high: z.number().positive(),
    })
    .nullable(),
});
export type Change = z.infer<typeof changeSchema>;

const KIND_WORDS: Readonly<Record<Change['kind'], string>> = {
  SLOW: 'slower',
  FAST: 'faster',
  INCORRECT: 'wrong',
};

/** `matmul/tiled[TILE=16] is slower (0.52 times as fast)`. */
export function changeText({ address, kind, ratio }: Change): string {
  const times = ratio ? ` (${ratio.value.toFixed(2)} times as fast)` : '';
  return `${address} is ${KIND_WORDS[kind]}${times}`;
}
