// One card, a column per engine: the best variant of each problem under Dawn (in Node) and under wgpu (in Deno),
// in turns on one machine. Problems are drawn by a seed. What is tried is what the selector of the card's
// evidence names first, the same under both, as far as it runs there; of each round the best count again, and
// of both rounds the quicker. Outputs are verified before and after a variant is timed.
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type DeviceCapabilities,
  engineOf,
  observationsOf,
  Selector,
  shippedBeside,
  shippedEvidence,
} from '@tilemark/core';
import { feasible, type Problem, parseVariant } from '@tilemark/kernels';
import { byDefaults, drawnProblems, worthTrying } from './engine-shapes';
import {
  type Answers,
  type EngineTimes,
  faultsOf,
  inOrder,
  kernelTable,
  kindOf,
  kindTable,
  shapeTable,
} from './engine-table';
import type { Question } from './engine-times';
import { countOf, flagsOf } from './flags';
import { OtherSide } from './other-side';

const USAGE = `usage: node apps/worker/dist/bench/engines.mjs [--deno deno] [--seed 54] [--shapes 40] [--rounds 2]
       [--largest 4096] [--candidates 6] [--square 2048 (every kernel by its defaults, too)]
       [--seconds 480 (after which no further problem is begun)]
       [--out FILE.json]`;
const flags = flagsOf(USAGE, {
  deno: 'deno',
  seed: '54',
  shapes: '40',
  rounds: '2',
  largest: '4096',
  candidates: '6',
  square: undefined,
  seconds: '480',
  out: undefined,
});
const count = (name: Exclude<keyof typeof flags, 'deno' | 'out' | 'square'>) =>
  countOf(flags, name);
const print = (text: string) => process.stdout.write(`${text}\n`);

/** So many of a round are measured in the next. */
const FINALISTS = 3;

/** How long a runtime takes variants of one problem in a round, ms: those named first come first. */
const WITHIN_MS = 4_500;

const program = join(dirname(fileURLToPath(import.meta.url)), 'engine-side.mjs');
const DENO = ['run', '--quiet', '--no-lock', '--allow-all', '--unstable-webgpu'];

interface Who {
  readonly device: string;
  readonly capabilities: DeviceCapabilities;
  readonly runtime: string;
}

/** A runtime in a process of its own, which is started again if it ends: then what it was asked is a fault. */
class EngineColumn {
  readonly #name: string;
  readonly #command: readonly [string, ...string[]];
  #side: OtherSide<unknown>;
  #who: Who | null = null;

  constructor(name: string, command: readonly [string, ...string[]]) {
    this.#name = name;
    this.#command = command;
    this.#side = this.#start();
  }

  #start = () => new OtherSide<unknown>(this.#name, this.#command, 60e3);

  /** Throws Error if it cannot be started. */
  async who(): Promise<Who> {
    this.#who ??= (await this.#side.measure({ who: true })) as Who | null;
    if (!this.#who) throw new Error(this.#side.absence ?? '');
    return this.#who;
  }

  async ask({ variants, ...question }: Question): Promise<Answers> {
    const { problem } = question;
    const { capabilities } = await this.who();
    const able = variants.filter(
      (address) => feasible(parseVariant(address), problem, capabilities).ok,
    );
    const answers = (await this.#side.measure({ ...question, variants: able })) as Answers | null;
    if (answers) return answers;
    const fault = this.#side.absence ?? '';
    this.#side = this.#start();
    return Object.fromEntries(able.map((address) => [address, { fault }]));
  }

  close(): void {
    this.#side.close();
  }
}

const columns = {
  Dawn: new EngineColumn('Dawn', [process.execPath, program]),
  wgpu: new EngineColumn('wgpu', [flags.deno, ...DENO, program]),
};
const both = Object.values(columns);

/** Selectors of an op and dtype by the evidence of each engine. */
const selectorsOf = ({ op, dtype }: Problem): Selector[] =>
  (['tint', 'naga'] as const).flatMap((engine) => {
    const file = shippedEvidence().find(
      (file) => file.op === op && file.dtype === dtype && engineOf(file.device.runtime) === engine,
    );
    return file ? [new Selector(observationsOf(file), shippedBeside(file))] : [];
  });

/** The lesser of two times; what was wrong in either stays wrong. */
function better(one: Answers, other: Answers): Answers {
  const merged = { ...one };
  for (const [address, answer] of Object.entries(other)) {
    const before = merged[address];
    const isLess =
      before === undefined || ('ns' in before && 'ns' in answer && answer.ns < before.ns);
    if (isLess || 'fault' in answer) merged[address] = answer;
  }
  return merged;
}

/** Both in turn, the finalists of one round in the next, while the next problem's variants compile. */
async function timesOf(
  { problem, variants, withinMs }: Question,
  rounds: number,
  next: Question | undefined,
): Promise<EngineTimes> {
  const times = new Map<string, Answers>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, column] of Object.entries(columns)) {
      const before = times.get(name) ?? {};
      const finalists = inOrder(before).slice(0, FINALISTS);
      const asked = round === 0 ? variants : finalists.map(({ address }) => address);
      const others = Object.values(columns).filter((other) => other !== column);
      const [answers] = await Promise.all([
        column.ask({ problem, variants: asked, withinMs }),
        ...(round === 0 && next
          ? others.map((other) => other.ask({ ...next, isCompiledOnly: true }))
          : []),
      ]);
      times.set(name, better(before, answers));
    }
  }
  return { problem, times: Object.fromEntries(times) };
}

const squaresOf = (n: number): Problem[] => [
  { op: 'matmul', dtype: 'f32', shape: { m: n, n, k: n } },
  { op: 'matmul', dtype: 'f16', shape: { m: n, n, k: n } },
  { op: 'transpose', dtype: 'f32', shape: { rows: n, cols: n } },
];

const beganMs = performance.now();
try {
  const who = await Promise.all(both.map((column) => column.who()));
  const devices = who.map(({ capabilities }) => capabilities);
  const head = [
    ...new Set(who.map(({ device }) => device)),
    ...who.map(({ runtime }) => runtime),
    new Date().toISOString(),
    `--seed ${flags.seed} --shapes ${flags.shapes} --rounds ${flags.rounds} --largest ${flags.largest}`,
  ];
  print(`${head.join(', ')}\n`);

  const selectors = new Map<string, Selector[]>();
  const drawn = drawnProblems(count('seed'), count('shapes'), count('largest')).map(
    (problem): Question => {
      const kind = kindOf(problem);
      const ofKind = selectors.get(kind) ?? selectorsOf(problem);
      selectors.set(kind, ofKind);
      const variants = worthTrying(problem, ofKind, devices, count('candidates'));
      return { problem, variants, withinMs: WITHIN_MS };
    },
  );
  const { square } = flags;
  const squares = square === undefined ? [] : squaresOf(countOf({ square }, 'square'));
  const asked = [
    ...drawn,
    ...squares.map(
      (problem): Question => ({
        problem,
        variants: byDefaults(problem),
        withinMs: 5 * WITHIN_MS,
      }),
    ),
  ];
  const measured: EngineTimes[] = [];
  for (const [at, question] of asked.entries()) {
    if (performance.now() - beganMs > 1e3 * count('seconds')) break;
    const rounds = at < drawn.length ? count('rounds') : 1;
    measured.push(await timesOf(question, rounds, asked[at + 1]));
    process.stderr.write(
      `${at + 1} of ${asked.length}, ${Math.round((performance.now() - beganMs) / 1e3)} s\n`,
    );
    if (flags.out) {
      const file = { head, measured };
      await writeFile(flags.out, `${JSON.stringify(file)}\n`);
    }
  }
  const ofDrawn = measured.slice(0, drawn.length);
  print(`${shapeTable(ofDrawn)}\n`);
  if (measured.length > drawn.length) {
    print(`${kernelTable(measured.slice(drawn.length))}\n`);
  }
  print(kindTable(ofDrawn));
  const faults = faultsOf(measured);
  for (const fault of faults) print(`\n${fault}`);
  if (faults.length > 0) process.exitCode = 1;
  const left = drawn.length - ofDrawn.length;
  if (left > 0) print(`\nThe time ended before ${left} of ${drawn.length} problems.`);
} finally {
  for (const column of both) column.close();
}
