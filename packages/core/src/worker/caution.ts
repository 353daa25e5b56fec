import {
  contribute,
  type Executor,
  type GpuKernel,
  isContributed,
  type Pending,
  type Prepared,
  type Problem,
  passesOf,
  resolveVariant,
  type Variant,
} from '@tilemark/kernels';
import { BUSY_PART } from '../measure/trust';

/** Compiling a contributed kernel may take this long, ms. */
export const COMPILE_WITHIN_MS = 20_000;

/** One dispatch may take this long, ns. */
const LONGEST_DISPATCH_NS = 1e9;

/**
 * A dispatch that has not ended by then never will: its process is ended, ms. The first one has as
 * long as the compiler, since some drivers only then finish compiling.
 */
const ENDS_WITHIN_MS = 5_000;

/** So much longer if they are compared with references, which are made meanwhile, ms. */
const JUDGED_WITHIN_MS = 60_000;

/** A dispatch that is late is given so much more where others keep the machine busy meanwhile. */
const BUSY_MORE_MS = 15_000;
const WATCHED_MS = 500;

/** Of the workgroups of a trial to those of the one before. */
const GROWTH = 8;

type Workgroups = readonly [x: number, y: number, z: number];

interface CautionHooks {
  readonly onStep: (step: 'compile' | 'trial') => void;
  /** As the owner's home has it. */
  readonly othersLoad: () => () => number;
  /** A dispatch does not end: whoever owns the device must. */
  readonly onHang: (message: string) => void;
}

/**
 * An executor that does what it did, and runs contributed kernels with care: it compiles them by
 * themselves, tries them from one workgroup up so that no dispatch takes seconds, and watches every
 * sample.
 */
export function cautious(
  executor: Executor,
  { onStep, onHang, othersLoad }: CautionHooks,
): Executor {
  const tried = new Set<string>();

  const ending = async <T>(work: Promise<T>, withinMs = ENDS_WITHIN_MS): Promise<T> => {
    const hung = (ms: number) =>
      onHang(`a dispatch of the kernel did not end within ${ms / 1e3} s`);
    let timer: ReturnType<typeof setTimeout>;
    const after = (ms: number, then: () => void) => {
      timer = setTimeout(then, ms);
    };
    after(withinMs, () => {
      const load = othersLoad();
      after(WATCHED_MS, () => {
        if (load() <= BUSY_PART) return hung(withinMs);
        const moreMs = withinMs + BUSY_MORE_MS;
        after(BUSY_MORE_MS - WATCHED_MS, () => hung(moreMs));
      });
    });
    const ended = work.finally(() => clearTimeout(timer));
    // Whoever waits for it is told.
    ended.catch(() => undefined);
    return ended;
  };

  /** Once it is begun, and once there is an answer. */
  const endingToo = async <T>(begun: Promise<Pending<T>>, withinMs?: number) => {
    const { answer } = await ending(begun, withinMs);
    return { answer: ending(answer, withinMs) };
  };

  const watched = (prepared: Prepared): Prepared => {
    const watches: Partial<Prepared> = {
      sample: (options) => ending(prepared.sample(options)),
      beginJudged: (options, sets) =>
        endingToo(
          prepared.beginJudged(options, sets),
          JUDGED_WITHIN_MS + options.dispatches * ENDS_WITHIN_MS,
        ),
      beginFingerprint: () => endingToo(prepared.beginFingerprint()),
      verifyRegimes: () => ending(prepared.verifyRegimes(), JUDGED_WITHIN_MS),
    };
    return new Proxy(prepared, {
      get: (target, name) => {
        const from = name in watches ? watches : target;
        const value: unknown = Reflect.get(from, name, from);
        return typeof value === 'function' ? value.bind(from) : value;
      },
    });
  };

  /** The time of a dispatch of so many of the workgroups, ns. */
  const sampled = async (kernel: GpuKernel, count: number, variant: Variant, problem: Problem) => {
    const part = partOf(kernel, count);
    const withdraw = contribute(part);
    try {
      const those = { kernel: part.id, tunables: variant.tunables };
      const prepared = await executor.prepare(those, problem, { seed: 1, bufferSets: 1 });
      const sample = (withinMs?: number) =>
        ending(prepared.sample({ dispatches: 1, rotate: false }), withinMs);
      try {
        const first = await sample(count === 1 ? COMPILE_WITHIN_MS : undefined);
        const second = await sample();
        return Math.min(first.ns, second.ns);
      } finally {
        prepared.destroy();
      }
    } finally {
      withdraw();
    }
  };

  const tryOut = async (variant: Variant, problem: Problem): Promise<void> => {
    const { definition, tunables, address } = resolveVariant(variant.kernel, variant.tunables);
    const key = `${address} ${JSON.stringify(problem)}`;
    if (definition.runsOn !== 'gpu' || tried.has(key)) return;
    const product = (sides: Workgroups) => sides.reduce((all, side) => all * side, 1);
    const passes = passesOf(definition, tunables, problem);
    const whole = Math.max(...passes.map(({ workgroups }) => product(workgroups)));
    for (let count = 1; ; ) {
      const ns = await sampled(definition, count, { kernel: definition.id, tunables }, problem);
      const growth = Math.min(GROWTH, Math.floor(LONGEST_DISPATCH_NS / ns));
      const isWhole = count >= whole;
      if (isWhole ? ns > LONGEST_DISPATCH_NS : growth < 2) {
        const those = isWhole ? 'one dispatch takes' : `${count} of its ${whole} workgroups take`;
        throw new Error(
          `${those} ${(ns / 1e9).toPrecision(2)} s, and a contributed kernel may take ${LONGEST_DISPATCH_NS / 1e9} s per dispatch: choose a smaller shape`,
        );
      }
      if (isWhole) break;
      count = Math.min(growth * count, whole);
    }
    tried.add(key);
  };

  const compile = async (variant: Variant, problem: Problem) => {
    if (!isContributed(variant.kernel)) return executor.compile(variant, problem);
    onStep('compile');
    await executor.compile(variant, problem);
    onStep('trial');
  };

  return {
    timer: executor.timer,
    compile,
    probe: (request) => executor.probe(request),
    destroy: () => executor.destroy(),
    prepare: async (variant, problem, options) => {
      if (!isContributed(variant.kernel)) return executor.prepare(variant, problem, options);
      await compile(variant, problem);
      await tryOut(variant, problem);
      return watched(await executor.prepare(variant, problem, options));
    },
  };
}

/** The same kernel with at most about so many workgroups in each of its dispatches. */
function partOf(kernel: GpuKernel, count: number): GpuKernel {
  const part = ([x, y, z]: Workgroups): Workgroups => {
    const across = Math.min(x, count);
    const down = Math.min(y, Math.ceil(count / across));
    return [across, down, Math.min(z, Math.ceil(count / (across * down)))];
  };
  return {
    ...kernel,
    id: `${kernel.id} ${count}`,
    workgroups: (values, problem) => part(kernel.workgroups(values, problem)),
    followUps: (values, problem) =>
      (kernel.followUps?.(values, problem) ?? []).map((pass) => ({
        ...pass,
        workgroups: part(pass.workgroups),
      })),
  };
}
