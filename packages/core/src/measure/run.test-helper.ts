import {
  createHostExecutor,
  type Executor,
  type Prepared,
  type Problem,
  type Sample,
  type SampleOptions,
} from '@tilemark/kernels';
import { PLAIN_WEBGPU } from './device';
import { runVariant, type Surroundings } from './measure';
import type { Outcome } from './outcome';
import { POLICIES, type PolicyId } from './policy';

export const problem: Problem = { op: 'transpose', shape: { rows: 33, cols: 65 }, dtype: 'f32' };
export const variant = { kernel: 'transpose/cpu-naive', tunables: {} };

export function run(
  executor: Executor,
  { policy = 'smoke', ...surroundings }: Partial<Surroundings> & { policy?: PolicyId } = {},
): Promise<Outcome> {
  return runVariant(executor, variant, problem, POLICIES[policy], PLAIN_WEBGPU, {
    deviceClass: 'cpu',
    lastLevelCacheBytes: 16_384,
    nowNs: () => performance.now() * 1e6,
    ...surroundings,
  });
}

/** The host executor with one verb gone wrong. */
export function withFault(fault: (good: Prepared) => Partial<Prepared>): Executor {
  const executor = createHostExecutor();
  return {
    ...executor,
    prepare: async (...args) => {
      const good = await executor.prepare(...args);
      const { verify, ...others } = fault(good);
      // As on the host: there is a verdict at once.
      const beginJudged: Prepared['beginJudged'] = async (options, sets) => {
        await (others.sample ?? good.sample.bind(good))(options);
        return { answer: (verify ?? good.verify.bind(good))(sets) };
      };
      const bad: Partial<Prepared> = { beginJudged, ...(verify && { verify }), ...others };
      return new Proxy(good, {
        get: (target, name) => {
          const from = name in bad ? bad : target;
          const value: unknown = Reflect.get(from, name, from);
          return typeof value === 'function' ? value.bind(from) : value;
        },
      });
    },
  };
}

export const once = { dispatches: 1, rotate: false } as const;

/** A sample of so long, ns per dispatch. */
export function lasting(each: number, { dispatches }: SampleOptions): Sample {
  const ns = each * dispatches;
  return { ns, wallNs: ns };
}
