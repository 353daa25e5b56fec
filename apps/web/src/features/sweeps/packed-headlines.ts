import type { DeviceRef, Headline } from '@tilemark/core';
import { type Problem, shapeText, type Variant } from '@tilemark/kernels';

/** Headlines as a page carries them: what many runs share is written once. */
export interface PackedHeadlines {
  readonly variants: readonly { readonly address: string; readonly variant: Variant }[];
  readonly problems: readonly Problem[];
  readonly devices: readonly DeviceRef[];
  /** `Run[]` as JSON: React walks every value of an object, of the 70,000 here on both sides. */
  readonly runs: string;
}

type Run = readonly [
  runId: string,
  resultId: string | null,
  variant: number,
  problem: number,
  device: number,
  profile: Headline['profile'],
  kind: Headline['kind'],
  reason: string | null,
  time: readonly [medianNs: number, lowNs: number, highNs: number] | null,
  roof: Headline['roof'],
  endedAtMs: number | null,
];

/** The reverse of `unpackHeadlines`. */
export function packHeadlines(headlines: readonly Headline[]): PackedHeadlines {
  const variants = new Places<PackedHeadlines['variants'][number]>();
  const problems = new Places<Problem>();
  const devices = new Places<DeviceRef>();
  const runs = headlines.map(
    ({ address, device, problem, time, variant, ...rest }): Run => [
      rest.runId,
      rest.resultId,
      variants.of(address, { address, variant }),
      problems.of(`${problem.op} ${shapeText(problem)} ${problem.dtype}`, problem),
      devices.of(device.key, device),
      rest.profile,
      rest.kind,
      rest.reason,
      time && [time.medianNs, time.lowNs, time.highNs],
      rest.roof,
      rest.endedAtMs,
    ],
  );
  return {
    variants: variants.values,
    problems: problems.values,
    devices: devices.values,
    runs: JSON.stringify(runs),
  };
}

/** The headlines that were packed, in their order. */
export function unpackHeadlines({
  devices,
  problems,
  runs,
  variants,
}: PackedHeadlines): Headline[] {
  return (JSON.parse(runs) as Run[]).map((run) => {
    const [runId, resultId, ofVariant, ofProblem, ofDevice, ...rest] = run;
    const [profile, kind, reason, time, roof, endedAtMs] = rest;
    const named = variants[ofVariant];
    const problem = problems[ofProblem];
    const device = devices[ofDevice];
    if (!named || !problem || !device) throw new RangeError(`Run ${runId} was packed wrongly.`);
    return {
      runId,
      resultId,
      ...named,
      problem,
      device,
      profile,
      kind,
      reason,
      time: time && { medianNs: time[0], lowNs: time[1], highNs: time[2] },
      roof,
      endedAtMs,
    };
  });
}

/** Distinct values in the order they came in. */
class Places<T> {
  readonly values: T[] = [];
  readonly #places = new Map<string, number>();

  /** The place of the value with this name, which takes the next one if it is new. */
  of(name: string, value: T): number {
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    this.#places.set(name, this.values.length);
    return this.values.push(value) - 1;
  }
}
