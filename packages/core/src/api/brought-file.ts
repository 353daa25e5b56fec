import { InputError } from '@tilemark/kernels';

/**
 * What people bring to a grid in a file. Results of `tilemark bench --json` are taken; any other file
 * is named in one sentence, with what it lacks or what to do.
 */

const LACKS = 'samples under one protocol and the proof of the output';
const timesOf = (tool: string, missing = LACKS) =>
  `contains times of ${tool}, which lack ${missing}: measure with \`tilemark bench\` instead`;

/** Told by words that each contains, broken or not; the first that fits counts. */
const OTHERS: readonly (readonly [words: readonly RegExp[], is: string])[] = [
  [[/"tune_params_keys"/, /"cache"/], timesOf('Kernel Tuner (its cache)')],
  [[/"kernel_family"/], timesOf("CLBlast's tuner", `WGSL, ${LACKS}`)],
  [[/"configuration"/, /"(invalidity|times)"/], timesOf('an auto-tuner (T4)')],
  [[/"benchmarks"/, /"states"/], timesOf('nvbench', `WGSL, ${LACKS}`)],
  [[/"benchmarks"/, /"real_time"/], timesOf('Google Benchmark', `the problem, the GPU, ${LACKS}`)],
  [[/^\s*[A-Z_]+\(type_a=|^Backend \d+\/\d+:/m], timesOf('test-backend-ops of llama.cpp')],
  [[/"avg_ts"|"?build_commit"?,|^\| *model *\| *size/m], timesOf('llama-bench of llama.cpp')],
  [
    [/"traceEvents"|"timeDeltas"|"preprocessedProfileVersion"|^SQLite format 3/],
    timesOf('a profiler'),
  ],
  [
    [/^\s*\{\s*"about"/, /"runs"/],
    'sums up how well Tilemark chooses variants for whole suites: read it in /docs/performance-h200',
  ],
  [
    [/^\s*\{\s*"date"/, /"results"/],
    'contains figures without samples (`bench/side-by-side`, or a library alone), which cannot be results',
  ],
  [
    [/^[\w" ]+(?:,[\w" ]+){2,}/],
    'is CSV, which has no samples: import the JSON of the same results',
  ],
];

/** Enough to tell a file by, characters. */
const BEGINNING = 100_000;

/** The kind of a file that is not ours, for a sentence that begins with its name; null: unknown. */
function otherFile(text: string): string | null {
  const beginning = text.slice(0, BEGINNING);
  return OTHERS.find(([words]) => words.every((word) => word.test(beginning)))?.[1] ?? null;
}

/**
 * The JSON of a file of results, its fields unchecked.
 *
 * @throws InputError that says what the file is instead, worded to follow its name
 */
export function benchFileIn(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const [first = 0, second = 0] = bytes;
  if (first === 0x1f && second === 0x8b) {
    throw refusal('is packed (gzip): unpack it with `gunzip` first');
  }
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isUtf16 || (bytes.length > 3 && (first === 0 || second === 0))) {
    throw refusal(
      'is UTF-16, as PowerShell’s `>` writes it: let `bench --json FILE` write the file, or save it as UTF-8',
    );
  }
  const text = new TextDecoder().decode(bytes);
  const json = parsed(text);
  if (isObject(json) && 'version' in json && ('results' in json || 'environment' in json))
    return json;
  const other = otherFile(text);
  if (other) throw refusal(other);
  if (json === undefined) throw refusal(brokenText(text));
  throw refusal('is not a file of `tilemark bench --json`');
}

const refusal = (is: string) => new InputError(is, 'file');

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function brokenText(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') return 'is empty';
  if (!/^[{[]/.test(trimmed)) return 'is not JSON: import what `tilemark bench --json` wrote';
  const [line = '', ...others] = trimmed.split('\n', 2);
  if (others.length > 0 && parsed(line) !== undefined) {
    return 'is JSON lines: import the one document that `tilemark bench --json` wrote';
  }
  return /[}\]]$/.test(trimmed)
    ? 'is broken JSON (NaN, a comma too many, or an edit): let `bench --json` write it again'
    : 'ends in the middle of its JSON: copy it again, whole';
}
