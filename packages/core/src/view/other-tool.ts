/** Files of other tools, told by their keys, with what they lack to be results here. */

interface OtherTool {
  readonly name: string;
  readonly has: (json: Readonly<Record<string, unknown>>) => boolean;
  readonly missing: string;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const firstOf = (list: unknown): Readonly<Record<string, unknown>> => {
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  return isObject(first) ? first : {};
};

const PROOF = 'samples under one protocol, and the proof of the output';

const TOOLS: readonly OtherTool[] = [
  {
    name: 'nvbench',
    has: ({ benchmarks, devices, meta }) =>
      isObject(meta) && Array.isArray(devices) && 'states' in firstOf(benchmarks),
    missing: `WGSL, ${PROOF}`,
  },
  {
    name: "Kernel Tuner's cache",
    has: ({ cache, kernel_name, tune_params_keys }) =>
      isObject(cache) && typeof kernel_name === 'string' && Array.isArray(tune_params_keys),
    missing: `${PROOF}; write T4 with \`store_output_file\`, which is taken as reference`,
  },
  {
    name: "CLBlast's tuner",
    has: ({ best_kernel, kernel_family, results }) =>
      typeof kernel_family === 'string' &&
      typeof best_kernel === 'string' &&
      Array.isArray(results),
    missing: `WGSL, ${PROOF}`,
  },
  {
    name: 'Google Benchmark',
    has: ({ benchmarks, context }) => isObject(context) && 'real_time' in firstOf(benchmarks),
    missing: `the problem, the GPU, ${PROOF}`,
  },
];

/** Whether a file is T4, the exchange format of auto-tuners. */
export const isT4 = (json: unknown): boolean => {
  if (!isObject(json)) return false;
  const { configuration, times } = firstOf(json.results);
  return isObject(configuration) && isObject(times);
};

/** Which tool wrote a file and what it lacks to be imported; null: no known tool. */
export function otherToolText(json: unknown): string | null {
  if (!isObject(json)) return null;
  const tool = TOOLS.find(({ has }) => has(json));
  return tool
    ? `is a file of ${tool.name}, which lacks ${tool.missing}: its times cannot be results here`
    : null;
}
