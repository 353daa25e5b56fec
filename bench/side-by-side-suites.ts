// side-by-side.mjs --suite: what the selector answers on shapes of families, as if each were new (its
// own measurements are left out of the evidence), beside the other side. Suites take turns, and each
// is taken in an order that covers it evenly wherever the budget ends, shapes that no evidence has
// first. The goals' table is printed for each round.
import { pathToFileURL } from 'node:url';
import {
  type Beside,
  compilesAhead,
  type DeviceDescription,
  deviceKey,
  type Environment,
  FAMILIES,
  type Family,
  type Observation,
  observationsOf,
  outcomeReason,
  type PolicyId,
  type Prediction,
  type Profile,
  Selector,
  shippedBeside,
  shippedEvidence,
  shippedFor,
} from '@tilemark/core';
import {
  DTYPES,
  feasible,
  hash32,
  opById,
  type Problem,
  parseShape,
  parseVariant,
  shapeText,
  type Variant,
} from '@tilemark/kernels';
import { Runner } from '../apps/worker/src/child/runner';
import { compare, type Side } from './compare';
import { matching } from './flags';
import {
  type Against,
  bytesOf,
  GOALS,
  type Goal,
  goalsOf,
  goalsTable,
  type Row,
  ratioText,
} from './goals';
import { COPY } from './side-by-side-rows';
import { capped, headLine } from './tilemark';

/** Another library compiles and warms up for a second or two: one shape in so many is its, too. */
const STRIDES: Partial<Readonly<Record<Against, number>>> = { tfjs: 4, ort: 3 };

/** Choices that are compiled while another is measured. */
const AHEAD = 3;

interface SuitesOptions {
  /** Ids of families, separated by commas. */
  readonly suites: string;
  /** Times that each shape is measured. */
  readonly rounds: number;
  /** No shape is begun after this. */
  readonly seconds: number;
  readonly profile: Profile;
  /** Caps the dimensions. */
  readonly largest: number;
  readonly policy: PolicyId;
  /** The built `tilemark`. */
  readonly program: string;
  /** Null: there is no such side here. Throws Error. */
  readonly others: (against: 'vendor' | 'tfjs' | 'ort', problem: Problem) => Promise<Side | null>;
  /** Why there is none. */
  readonly absences: () => Partial<Readonly<Record<Against, string>>>;
  readonly print: (text: string) => void;
  /** Called after each shape. */
  readonly save: (environment: Environment, results: readonly object[]) => Promise<void>;
}

/** What is measured of one shape for a goal. */
interface Asked {
  readonly goal: Goal;
  readonly problem: Problem;
}

export async function besideSuites(options: SuitesOptions): Promise<void> {
  const { suites, seconds, policy, profile, print, rounds } = options;
  const entry = new URL('child.mjs', pathToFileURL(options.program));
  const runner = new Runner({ entry, device: 'auto' });
  const rows: Row[] = [];
  const failures: { goal: string; problem: string; why: string }[] = [];
  try {
    const device = await runner.open(profile);
    const { environment } = device;
    print(`${headLine(environment)}\n`);
    const choices = new Choices(device, profile);
    const shapes = shapesOf(suites, options.largest, choices);
    const endMs = performance.now() + 1e3 * seconds;

    const timed = async (
      { kernel, tunables }: Variant,
      problem: Problem,
      ahead: readonly Choice[] = [],
    ): Promise<Side> => {
      const run = { variant: { kernel, tunables }, problem, profile, policy, seed: 1 };
      const { outcome } = await runner.run(run, {
        ahead: compilesAhead(device) ? ahead.map((choice) => ({ ...choice, variant: choice })) : [],
      });
      if (outcome.kind !== 'measured') throw new Error(outcomeReason(outcome) ?? outcome.kind);
      const { medianNs, lowNs, highNs } = outcome.measurement.cold;
      return { medianNs, intervalNs: [lowNs, highNs] };
    };
    const copy = (problem: Problem): Promise<Side> => {
      const elements = bytesOf(problem) / 8;
      const cols = problem.op === 'transpose' ? problem.shape.cols : Math.min(4096, elements);
      const shape = { rows: Math.ceil(elements / cols), cols };
      return timed(parseVariant(COPY), { op: 'transpose', shape, dtype: 'f32' });
    };

    print('| problem | variant | beside | ratio |\n|---|---|---|---|');
    let begun = 0;
    for (const [at, asked] of shapes.entries()) {
      if (performance.now() > endMs) break;
      begun++;
      const following = [...asked, ...(shapes[at + 1] ?? [])];
      const ours = (problem: Problem) => {
        const place = following.findIndex((next) => next.problem.dtype === problem.dtype);
        const ahead = following.slice(place + 1, place + 1 + AHEAD);
        return timed(
          choices.of(problem),
          problem,
          ahead.flatMap((next) => choices.find(next.problem) ?? []),
        );
      };
      for (let round = 1; round <= rounds; round++) {
        // Each side once, though several goals are about it.
        const sides = new Map<string, Promise<Side | null>>();
        const once = (key: string, measure: () => Promise<Side | null>) => {
          const known = sides.get(key) ?? measure();
          sides.set(key, known);
          return known;
        };
        for (const { goal, problem } of asked) {
          const { against, id } = goal;
          if (at % (STRIDES[against] ?? 1) !== 0) continue;
          const text = `${shapeText(problem)} ${problem.dtype}`;
          try {
            const other = await (against === 'copy'
              ? copy(problem)
              : against === 'f16'
                ? once('ours f16', () => ours({ ...problem, dtype: 'f16' }))
                : once(`${against} ${DTYPES[problem.dtype].element}`, () =>
                    options.others(against, problem),
                  ));
            if (!other) continue;
            const side = await once(`ours ${problem.dtype}`, () => ours(problem));
            if (!side) continue;
            const { address: variant, isSeen, ns: predictedNs } = choices.of(problem);
            const { ratio, ratioInterval } = compare(side, other, { goal: 0, isCapped: false });
            rows.push({
              ...{ round, goal: id, problem: text, isSeen, variant, predictedNs },
              ...{ ours: side, other, ratio, ratioInterval },
            });
            print(`| ${text} | ${variant} | ${against} | ${ratioText(ratio, ratioInterval)} |`);
          } catch (error) {
            const why = error instanceof Error ? error.message : String(error);
            failures.push({ goal: id, problem: text, why });
            print(`| ${text} | | ${against} | ${why} |`);
          }
        }
      }
      await options.save(environment, [...rows, ...failures]);
    }
    const goals = GOALS.filter((goal) => shapes.flat().some((asked) => asked.goal === goal));
    print(`\n${begun} of ${shapes.length} shapes, ${failures.length} rows failed`);
    for (let round = 1; round <= rounds; round++) {
      const ofRound = rows.filter((row) => row.round === round);
      print(`\nRound ${round} of ${rounds}\n\n${goalsTable(goals, ofRound, options.absences())}`);
    }
  } finally {
    await runner.close();
  }
}

/** What the selector answers for a problem that nobody had measured. */
interface Choice extends Prediction {
  readonly problem: Problem;
  /** Whether evidence has times of the very shape, which were left out. */
  readonly isSeen: boolean;
}

/**
 * What the selector answers if nobody had measured a shape. On a device of no vendor with evidence it
 * is what ships first. Evidence ships for the profile `fast`; its order serves both.
 */
class Choices {
  readonly #device: DeviceDescription;
  readonly #profile: Profile;
  readonly #known = new Map<string, Choice | null>();
  readonly #learned = new Map<string, Learned>();

  constructor(device: DeviceDescription, profile: Profile) {
    this.#device = device;
    this.#profile = profile;
  }

  /** Throws Error where there is none. */
  of(problem: Problem): Choice {
    const choice = this.find(problem);
    if (!choice)
      throw new Error(`no evidence of ${problem.op} in ${problem.dtype} for this device`);
    return choice;
  }

  /** Null where there is none. */
  find(problem: Problem): Choice | null {
    const key = `${problem.op} ${shapeText(problem)} ${problem.dtype}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const choice = this.#choose(problem);
    this.#known.set(key, choice);
    return choice;
  }

  /** Whether evidence has times of a problem's shape. */
  isSeen(problem: Problem): boolean {
    return this.#learn(problem).shapes.has(shapeText(problem));
  }

  #choose(problem: Problem): Choice | null {
    const { beside, times, whole } = this.#learn(problem);
    const text = shapeText(problem);
    const isOther = (time: Observation) => shapeText(time.problem) !== text;
    const selector = new Selector(
      times.filter(isOther),
      { ...beside, times: beside.times.filter(isOther) },
      whole,
    );
    const { capabilities } = this.#device;
    const [choice] = selector.rank(problem, (point) => feasible(point, problem, capabilities).ok);
    return choice ? { ...choice, problem, isSeen: this.isSeen(problem) } : null;
  }

  #learn({ dtype, op }: Problem): Learned {
    const key = `${op} ${dtype}`;
    const known = this.#learned.get(key);
    if (known) return known;
    const { identity } = this.#device;
    const about = { op, dtype, profile: this.#profile };
    const file =
      shippedFor({ key: deviceKey(identity) }, about) ??
      shippedFor({ vendor: identity.vendor }, about) ??
      shippedEvidence().find((evidence) => evidence.op === op && evidence.dtype === dtype);
    const times = file ? observationsOf(file) : [];
    const beside = file ? shippedBeside(file) : { times: [] };
    const shapes = new Set([...times, ...beside.times].map((time) => shapeText(time.problem)));
    const learned = { times, beside, shapes, whole: new Selector(times, beside) };
    this.#learned.set(key, learned);
    return learned;
  }
}

/** What ships for an op and dtype, and a selector of all of it. */
interface Learned {
  readonly times: readonly Observation[];
  readonly beside: Beside;
  readonly shapes: ReadonlySet<string>;
  readonly whole: Selector;
}

/**
 * The shapes of some families in turn, with what is asked of each; no batches, which the others are
 * not asked for. Those that evidence has in fewer dtypes come first. Exits with 2 if there is no such
 * family.
 */
function shapesOf(suites: string, largest: number, choices: Choices): Asked[][] {
  const pattern = `^(${suites.replaceAll(',', '|')})$`;
  const families = matching(FAMILIES, ({ id }) => id, { flag: '--suite', pattern });
  const lists = families.map((family) => {
    const { op, shapes } = family;
    const { batch, sides } = opById(op);
    const texts = shapes
      .filter((shape) => batch(shape) === 1)
      .map((shape) => capped(sides(shape).join('x'), largest));
    return [...new Set(texts)]
      .toSorted((a, b) => hash32(texts.indexOf(a)) - hash32(texts.indexOf(b)))
      .map((text) => askedOf(family, text))
      .map((asked) => ({
        asked,
        seen: asked.filter(({ problem }) => choices.isSeen(problem)).length,
      }))
      .toSorted((a, b) => a.seen - b.seen)
      .map(({ asked }) => asked);
  });
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) =>
    lists.flatMap((list) => list.slice(at, at + 1)),
  ).flat();
}

function askedOf(family: Family, text: string): Asked[] {
  const { op } = family;
  const shape = parseShape(op, text);
  return goalsOf(family)
    .map((goal) => ({ goal, problem: { op, shape, dtype: goal.dtype } as Problem }))
    .filter(({ goal, problem }) => goal.isFor?.(problem) ?? true);
}
