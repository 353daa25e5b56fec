import { z } from 'zod';
import { type environmentSchema, profileSchema } from '../measure/device';
import { problemSchema } from '../plan/spec';
import { address, line } from '../schema/maxima';
import { date, id } from './answer';
import { deviceRefSchema } from './device';

/** What may change under a device without anybody's telling: an alarm names it. */
export const softwareSchema = z.object({
  driver: line,
  /** Of Dawn or the browser, for example `webgpu 0.6.2`; null where neither ran the shader. */
  runtime: line.nullable(),
});
export type Software = z.infer<typeof softwareSchema>;

/** The one that runs shaders: Node runs none. */
export function softwareOf({
  driver,
  runtimeVersions,
}: Pick<z.infer<typeof environmentSchema>, 'driver' | 'runtimeVersions'>): Software {
  const shown = Object.entries(runtimeVersions)
    .filter(([name]) => name !== 'node')
    .map(([name, version]) => `${name} ${version}`);
  return { driver, runtime: shown.toSorted().join(', ') || null };
}

export const ALARM_KINDS = ['SLOW', 'FAST', 'INCORRECT'] as const;
const alarmKindSchema = z.enum(ALARM_KINDS);

const timeSchema = z.object({
  medianNs: z.number().positive(),
  lowNs: z.number().positive(),
  highNs: z.number().positive(),
  invocations: z.number().int(),
});

/** A variant that is slower, faster or wrong against its own history on a device. */
export const alarmSchema = z.object({
  /** That of the result that confirmed it: ids ascend with time. */
  id,
  kind: alarmKindSchema,
  at: date,
  device: deviceRefSchema,
  address,
  problem: problemSchema,
  profile: profileSchema,
  /** The two results that agree, the earlier first. */
  results: z.tuple([id, id]),
  software: softwareSchema,
  /** The last of the history; null: the kernel has none that was right. */
  softwareBefore: softwareSchema.nullable(),
  /** How many times as fast as before, with its 95% interval; null where it is wrong. */
  change: z
    .object({
      ratio: z.number().positive(),
      low: z.number().positive(),
      high: z.number().positive(),
      /** Null where it took turns with a control, since the machine shares the device with other work. */
      before: timeSchema.nullable(),
      after: timeSchema.nullable(),
    })
    .nullable(),
});
export type Alarm = z.infer<typeof alarmSchema>;
type AlarmKind = Alarm['kind'];

const KIND_WORDS: Readonly<Record<AlarmKind, string>> = {
  SLOW: 'slower',
  FAST: 'faster',
  INCORRECT: 'wrong',
};

/** `matmul/tiled[TILE=16] is slower (0.52 times as fast) on NVIDIA H200`. */
export function alarmText({ address, change, device, kind }: Alarm): string {
  const ratio = change ? ` (${change.ratio.toFixed(2)} times as fast)` : '';
  return `${address} is ${KIND_WORDS[kind]}${ratio} on ${device.name}`;
}
