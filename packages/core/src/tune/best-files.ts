/** Answers of `/best` as files: for spreadsheets, for a page, and in the forms that two libraries keep. */
import { DTYPES, isBlocked, isByRows, kernelById, opById } from '@tilemark/kernels';
import { csvTable } from '../api/csv';
import type { Question } from '../api/question';
import { tileOf } from '../api/tile';
import type { BestRow } from './best';
import { moduleOf } from './best-module';
import { limitsText, remarkOf, sourceOf } from './best-words';
import { evidenceFor, provenanceLines, provenanceOf } from './provenance';

export const BEST_FILES = {
  json: ['JSON', 'application/json', 'json'],
  csv: ['CSV', 'text/csv', 'csv'],
  js: ['JavaScript module', 'text/javascript', 'mjs'],
  ggml: ['ggml table', 'text/plain', 'h'],
  onnxruntime: ['ONNX Runtime table', 'text/plain', 'h'],
} as const;
export type BestForm = keyof typeof BEST_FILES;
export const BEST_FORMS = Object.keys(BEST_FILES) as BestForm[];

/** `tilemark-matmul-f16-nvidia_h200.csv` */
export function bestFileName({ op, dtype, gpus }: Question, form: BestForm): string {
  const who = gpus.length === 1 ? `-${gpus[0]?.replaceAll(/[^\w]+/g, '_')}` : '';
  return `tilemark-${op}-${dtype}${who}.${BEST_FILES[form][2]}`;
}

export function bestFile(form: BestForm, rows: readonly BestRow[], question: Question): string {
  return WRITERS[form](rows, question);
}

const WRITERS: Readonly<
  Record<BestForm, (rows: readonly BestRow[], question: Question) => string>
> = { json: jsonOf, csv: csvOf, js: moduleOf, ggml: ggmlOf, onnxruntime: onnxOf };

/** Each as `/best` answers, without its program. The first line says what nobody has timed. */
function jsonOf(rows: readonly BestRow[], question: Question): string {
  const items = rows.map((row) => {
    const { best, excluded, gpu, problem } = row;
    const { bindings: _, wgsl: __, ...answer } = best ?? {};
    const evidence = evidenceFor(row);
    return { gpu: gpu?.id ?? null, problem, evidence, best: best && answer, excluded };
  });
  const { notices, ...provenance } = provenanceOf(rows, question);
  const rest = JSON.stringify({ provenance, items }, null, 2);
  return `{ "notices": ${JSON.stringify(notices)},${rest.slice(1)}\n`;
}

/** Lines of `#` come first: comments, as the tabular data model of W3C has them. */
function csvOf(rows: readonly BestRow[], question: Question): string {
  const { op } = question;
  const sides = opById(op).dimensions.map(({ name }) => name as string);
  const tunables = [
    ...new Set(rows.flatMap(({ best }) => Object.keys(best?.variant.tunables ?? {}))),
  ];
  const head = [
    ...['gpu', 'op', 'dtype', 'profile', 'engine', ...sides, 'kernel', ...tunables],
    ...['ns', 'error', 'rate', 'unit', 'gb_per_s', 'part_of_memory', 'evidence', 'basis', 'regret'],
    ...['device', 'driver', 'measured_at', 'limits', 'source', 'remark'],
  ];
  const table = csvTable(
    head,
    rows.map((row) => {
      const { best, gpu, problem } = row;
      const quote = best?.quote;
      const shape: Readonly<Record<string, number>> = problem.shape;
      const values = best?.variant.tunables ?? {};
      return [
        ...[idOf(gpu), op, problem.dtype, best?.profile ?? '', best?.engine ?? ''],
        ...sides.map((side) => shape[side] ?? ''),
        best?.variant.kernel ?? '',
        ...tunables.map((name) => values[name] ?? ''),
        ...[quote?.ns ?? '', quote?.error ?? '', quote?.rate.value ?? '', quote?.rate.unit ?? ''],
        ...[quote?.memory?.gigabytesPerSecond ?? '', quote?.memory?.part ?? ''],
        ...[evidenceFor(row), best?.basis ?? '', best?.one?.share ? 1 / best.one.share : ''],
        ...[quote?.device ?? '', quote?.driver ?? '', quote?.measuredAt ?? ''],
        ...[limitsText(best), sourceOf(row), remarkOf(row) ?? ''],
      ];
    }),
  );
  return [...provenanceLines(rows, question).map((line) => `# ${line}`), table].join('\n');
}

const idOf = (gpu: BestRow['gpu']): string => gpu?.id ?? 'any';

/** A kernel that stages tiles of A and B, as programs with register tiling count it. */
interface Tiling {
  /** Threads along the rows and columns of a workgroup's tile, and what each computes. */
  readonly down: number;
  readonly across: number;
  readonly rows: number;
  readonly columns: number;
  /** Steps of K that are staged at a time. */
  readonly depth: number;
}

/** How a row's kernel divides its work, or why such programs cannot run it. */
function tilingOf({ best, problem }: BestRow): Tiling | string {
  const kernel = best ? kernelById(best.variant.kernel) : undefined;
  if (!best?.needs || kernel?.runsOn !== 'gpu') return 'no kernel';
  if (opById(problem.op).counts !== 'flops') return 'it multiplies nothing';
  const { BK, TILE, TM, TN } = best.variant.tunables;
  const tile = tileOf(kernel, best.variant.tunables, problem.dtype);
  if (!tile) return 'its workgroups have no tiles of C';
  if (best.needs.features.some((name) => name.includes('subgroup'))) return 'it needs subgroups';
  if (tile.sharing.threads > 1) return 'its threads share sums';
  if (best.passes.length > 1 || best.bindings.some(({ name }) => name === 'scratch')) {
    return 'its workgroups share sums';
  }
  const depth = Number(BK ?? TILE ?? 0);
  if (depth === 0) return 'it stages nothing in workgroup memory';
  const [x, y] = best.needs.workgroupSize;
  const [rows, columns] = [Number(TM ?? tile.rows / y), Number(TN ?? tile.cols / x)];
  const [down, across] = [tile.rows / rows, tile.cols / columns];
  const isEven = [rows, columns, down, across].every(Number.isInteger);
  return isEven && down * across === tile.threads
    ? { down, across, rows, columns, depth }
    : 'its threads do not have like tiles';
}

/** A literal of C. GPUs are called as who attached them, or whoever made the link, likes. */
const inC = (text: string): string => JSON.stringify(text);

/** The rest of a line: it ends with the line, which a backslash would continue. */
const noteOf = (row: BestRow): string =>
  [evidenceFor(row), row.best?.address, sourceOf(row), remarkOf(row), limitsText(row.best)]
    .filter(Boolean)
    .join('; ')
    .replaceAll(/[\s\\]+/g, ' ');

/** The rows as entries; one that the program cannot run is a comment that says why. */
function entriesOf(
  rows: readonly BestRow[],
  entryOf: (row: BestRow, tiling: Tiling, sides: Sides) => readonly (number | string)[] | string,
): string {
  const lines = rows.map((row) => {
    const { b = 1, m = 0, n = 0, k = 0 }: Partial<Sides> = row.problem.shape as Partial<Sides>;
    const tiling = tilingOf(row);
    const entry = typeof tiling === 'string' ? tiling : entryOf(row, tiling, { b, m, n, k });
    return typeof entry === 'string'
      ? `    // blank: ${inC(idOf(row.gpu))} ${Object.values(row.problem.shape).join('x')}, ${entry} // ${noteOf(row)}`
      : `    { ${inC(idOf(row.gpu))}, ${entry.join(', ')} }, // ${noteOf(row)}`;
  });
  return lines.join('\n');
}

type Sides = Readonly<Record<'b' | 'm' | 'n' | 'k', number>>;

const commentOf = (rows: readonly BestRow[], question: Question): string =>
  provenanceLines(rows, question)
    .map((line) => `// ${line}\n`)
    .join('');

/**
 * In the terms of ggml/src/ggml-webgpu/wgsl-shaders/mul_mat_reg_tile.wgsl (2026-11-29): a tile is a thread's, and m
 * counts the rows of the weights, which are the columns of C.
 */
function ggmlOf(rows: readonly BestRow[], question: Question): string {
  const { dtype } = question;
  const entries = entriesOf(rows, (_, { across, columns, depth, down, rows: each }, sides) => {
    const { b, k, m, n } = sides;
    const isVector = [k, m, n].every((side) => side % 4 === 0);
    if (DTYPES[dtype].isInteger) return 'MUL_MAT takes no integers';
    if (isVector && columns % 4 !== 0) return 'a thread stores 4 rows of the weights at a time';
    if (isBlocked(dtype) && depth % 32 !== 0) return 'TILE_K must be whole blocks of 32 weights';
    return [n, m, k, b, across, down, columns, each, depth];
  });
  const layout = isByRows(dtype)
    ? ''
    : '// ggml keeps weights by rows, these were by columns: ask for a dtype such as f32-nt or f16-nt.\n';
  return `${commentOf(rows, question)}${layout}// WORKGROUP_SIZE_*, TILE_* of ggml-webgpu's mul_mat_reg_tile. m: rows of the weights; n: rows of the activations;
// tile_m, tile_n: of each thread. Blank: what it cannot run.
struct ggml_webgpu_mul_mat_choice {
    const char * gpu;
    uint32_t     m, n, k, batch;
    uint32_t     wg_size_m, wg_size_n, tile_m, tile_n, tile_k;
};

static const ggml_webgpu_mul_mat_choice ggml_webgpu_mul_mat_choices[] = {
${entries}
};
`;
}

/**
 * In the terms of MakeMatMulPackedVec4Source and MakeMatMulPackedSource of
 * onnxruntime/core/providers/webgpu/math/gemm_utils.cc (2026-11-29), and by what these refuse.
 */
function onnxOf(rows: readonly BestRow[], question: Question): string {
  const { dtype } = question;
  const entries = entriesOf(rows, (_, { across, columns, depth, down, rows: each }, sides) => {
    const { b, k, m, n } = sides;
    if (isByRows(dtype) || isBlocked(dtype)) return 'MatMul reads B as K x N';
    if (depth % down !== 0 || depth % across !== 0) return 'threads must divide tile_inner';
    const isVector = k % 4 === 0 && n % 4 === 0;
    if (isVector && columns !== 4) return 'its vec4 program computes 4 columns per thread';
    if (isVector && ![3, 4].includes(depth / across)) return 'tile_inner must be 3 or 4 times x';
    return [m, n, k, b, `{${across}, ${down}, 1}`, `{${columns}, ${each}, 1}`, depth];
  });
  return `${commentOf(rows, question)}// workgroup_size, elements_per_thread (columns, rows) and tile_inner of the MatMul program of ONNX Runtime's
// WebGPU provider. Blank: what it cannot run.
struct MatMulChoice {
  const char* gpu;
  uint32_t dim_a_outer, dim_b_outer, dim_inner, batch_size;
  uint32_t workgroup_size[3];
  uint32_t elements_per_thread[3];
  uint32_t tile_inner;
};

constexpr MatMulChoice kMatMulChoices[] = {
${entries}
};
`;
}
