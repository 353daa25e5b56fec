/**
 * What people bring to a grid in a file, told by its keys: results of `bench --json`, figures without
 * samples, T4, and others, which cannot be imported. Each says where it belongs or what it lacks.
 */
interface BroughtKind {
  readonly kind: 'results' | 'figures' | 't4' | 'other';
  readonly has: (json: Readonly<Record<string, unknown>>) => boolean;
  /** Why it is refused where another kind is taken. */
  readonly belongs: string;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const firstOf = (list: unknown): Readonly<Record<string, unknown>> => {
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  return isObject(first) ? first : {};
};

const PROOF = 'samples under one protocol, and the proof of the output';

const ofTool = (name: string, missing: string, has: BroughtKind['has']): BroughtKind => ({
  kind: 'other',
  has,
  belongs: `This is a file of ${name}, which lacks ${missing}: its times cannot be results here`,
});

const KINDS: readonly BroughtKind[] = [
  ofTool(
    'nvbench',
    `WGSL, ${PROOF}`,
    ({ benchmarks, devices, meta }) =>
      isObject(meta) && Array.isArray(devices) && 'states' in firstOf(benchmarks),
  ),
  ofTool(
    "Kernel Tuner's cache",
    `${PROOF}; write T4 with \`store_output_file\`, which is taken as reference`,
    ({ cache, kernel_name, tune_params_keys }) =>
      isObject(cache) && typeof kernel_name === 'string' && Array.isArray(tune_params_keys),
  ),
  ofTool(
    "CLBlast's tuner",
    `WGSL, ${PROOF}`,
    ({ best_kernel, kernel_family, results }) =>
      typeof kernel_family === 'string' &&
      typeof best_kernel === 'string' &&
      Array.isArray(results),
  ),
  ofTool(
    'Google Benchmark',
    `the problem, the GPU, ${PROOF}`,
    ({ benchmarks, context }) => isObject(context) && 'real_time' in firstOf(benchmarks),
  ),
  {
    kind: 't4',
    has: ({ results }) => {
      const { configuration, times } = firstOf(results);
      return isObject(configuration) && isObject(times);
    },
    belongs:
      'This file contains T4 of an auto-tuner, whose times cannot be results, only reference: import it with `tilemark import --hardware NAME`.',
  },
  {
    kind: 'other',
    has: (json) => 'about' in json && 'runs' in json,
    belongs:
      'This file sums up how well Tilemark chooses variants for whole suites (`bench/side-by-side --suite`). It is documentation, which no grid imports: read it in /docs/performance-h200.',
  },
  {
    kind: 'results',
    has: (json) => 'version' in json && 'results' in json,
    belongs:
      'This file contains results of `tilemark bench --json`, not figures of reference: send it to /api/v1/results/import.',
  },
  {
    kind: 'figures',
    has: (json) => 'date' in json && 'results' in json,
    belongs:
      'This file contains figures of `bench/side-by-side` or of a library, without samples. They cannot be results, only reference: send it to /api/v1/reference, or import it with `tilemark import` or on the Workers page, which choose by the file.',
  },
];

const kindIn = (json: unknown): BroughtKind | undefined =>
  isObject(json) ? KINDS.find(({ has }) => has(json)) : undefined;

/** Null: of no known kind. */
export const broughtFile = (json: unknown): BroughtKind['kind'] | null =>
  kindIn(json)?.kind ?? null;

/** Why a file is refused where another kind is taken; null: it is of that kind, or of none. */
export function misplaced(json: unknown, taken: BroughtKind['kind']): string | null {
  const found = kindIn(json);
  return !found || found.kind === taken ? null : found.belongs;
}
