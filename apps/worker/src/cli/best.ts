import {
  answerFor,
  type BestForm,
  type BestRow,
  bestFile,
  deviceKey,
  type Evidence,
  engineOf,
  evidenceSchema,
  type Family,
  type Gpu,
  gpuOf,
  knownGpus,
  memoryText,
  oneFor,
  oneText,
  type Profile,
  problemsOf,
  type Question,
  questionQuery,
  questionSchema,
  remarkOf,
  shippedEvidence,
  shippedOf,
  sourceOf,
} from '@tilemark/core';
import {
  type Dtype,
  type Engine,
  InputError,
  type OpId,
  refuseIf,
  shapeText,
} from '@tilemark/kernels';
import { parseIfThere } from './flags';
import { GridClient } from './grid/client';
import { rateText, table, timeText } from './table';

export interface BestOptions {
  readonly shape?: string;
  /** Instead of shapes. */
  readonly suite?: Family;
  readonly gpu?: string;
  readonly op: OpId;
  readonly dtype?: Dtype;
  readonly profile: Profile;
  /** Files to decide by, instead of what ships. */
  readonly evidence?: readonly string[];
  /** A grid to ask. */
  readonly server?: string;
  readonly token?: string;
  readonly engine?: Engine;
  /** One variant for all shapes and GPUs. */
  readonly one?: boolean;
  readonly format: 'table' | BestForm;
}

/**
 * `tilemark best`: the variants to run for shapes on GPUs, by what ships or by files of evidence; with
 * `--server`, as a grid answers. Throws InputError at the flag.
 */
export async function best(options: BestOptions, print: (text: string) => void): Promise<void> {
  const { evidence, format, server, token } = options;
  const question = questionOf(options);
  const printFile = (text: string) => {
    print(text.trimEnd());
    if (format === 'js') process.stderr.write(`${Math.ceil(Buffer.byteLength(text) / 1000)} kB\n`);
  };
  if (server === undefined) {
    const brought = evidence && (await Promise.all(evidence.map(readEvidence)));
    const rows = await answered(question, brought);
    const summary = oneText(rows);
    if (summary && format === 'table') print(`${summary}\n`);
    if (format === 'table') print(asTable(rows));
    else printFile(bestFile(format, rows, question));
    return;
  }
  refuseIf(evidence !== undefined, 'a grid answers by its own', '--evidence');
  const site = new GridClient({ server, ...(token !== undefined && { token }) });
  const query = questionQuery(question);
  query.set('format', format === 'table' ? 'csv' : format);
  printFile(await site.text(`best/table?${query}`));
}

function questionOf({
  dtype = 'f32',
  engine,
  gpu,
  one,
  op,
  profile,
  shape,
  suite,
}: BestOptions): Question {
  refuseIf((shape === undefined) === (suite === undefined), 'give this or --suite', '--shape');
  const asked = {
    op: suite?.op ?? op,
    dtype,
    profile,
    engine,
    shapes: shape,
    gpu,
    ...(one && { one: '1' }),
  };
  const { data, error } = questionSchema.safeParse(asked);
  // A family may have more shapes than a grid puts into one table.
  if (data) return suite ? { ...data, shapes: suite.shapes } : data;
  const [issue] = error.issues;
  const field = String(issue?.path[0]);
  throw new InputError(issue?.message ?? 'is not valid', `--${field.replace('shapes', 'shape')}`);
}

/** Every row by the files; with every GPU that they are of where none is named. */
async function answered(question: Question, brought?: readonly Evidence[]): Promise<BestRow[]> {
  const { op, dtype, engine, profile } = question;
  const files = brought ?? shippedEvidence();
  refuseIf(
    brought?.every((file) => file.op !== op || file.dtype !== dtype) ?? false,
    `no file is of ${op} in ${dtype}`,
    '--evidence',
  );
  const known = [...gpusIn(files), ...knownGpus()];
  const gpus = question.gpus.map((id) => named(id, known));
  const ofEngine = files.filter(({ device }) => engineOf(device.runtime) === (engine ?? 'tint'));
  const those = gpus.length > 0 ? gpus : gpusIn(ofEngine.length > 0 ? ofEngine : files);
  const asked = those.map((gpu) => {
    return { gpu, evidence: shippedOf(gpu, { op, dtype, profile }, engine, files) };
  });
  const problems = problemsOf(question);
  if (question.one) return oneFor(problems, profile, asked);
  return problems.flatMap((problem) =>
    asked.map(({ evidence, gpu }) => ({ gpu, problem, ...answerFor(problem, profile, evidence) })),
  );
}

function gpusIn(files: readonly Evidence[]): Gpu[] {
  const gpus = files.map(({ device }) => ({ id: deviceKey(device), name: device.device }));
  const once = new Map(gpus.map((gpu) => [gpu.id, gpu]));
  return [...once.values()].map((gpu) => ({ ...gpu, from: 'shipped' }));
}

async function readEvidence(path: string): Promise<Evidence> {
  const evidence = await parseIfThere('--evidence', path, evidenceSchema, 'evidence');
  if (evidence) return evidence;
  throw new InputError(`${path} was not found`, '--evidence');
}

function named(id: string, known: readonly Gpu[]) {
  try {
    return gpuOf(id, known);
  } catch (error) {
    throw error instanceof InputError ? new InputError(error.message, '--gpu') : error;
  }
}

function asTable(rows: readonly BestRow[]): string {
  return table(
    ['variant', 'shape', 'GPU', 'time', '±', 'rate', 'memory', 'source', 'remark'],
    rows.map((row) => {
      const quote = row.best?.quote;
      return [
        ...[row.best?.address ?? 'none', shapeText(row.problem), row.gpu?.name ?? 'any'],
        ...(quote
          ? [
              timeText(quote.ns),
              `${Number((100 * quote.error).toPrecision(2))}%`,
              rateText(quote.rate),
            ]
          : ['', '', '']),
        memoryText(row) ?? '',
        ...[sourceOf(row), remarkOf(row) ?? ''],
      ];
    }),
    ['left', 'left', 'left', 'right', 'right', 'right', 'right'],
  );
}
