/** Answers of `/best` as files: for spreadsheets, for a page, and in the forms that two libraries keep. */
import { kernelById, opById } from '@tilemark/kernels';
import { csvTable } from '../api/csv';
import type { Question } from '../api/question';
import { tileOf } from '../api/tile';
import type { BestRow } from './best';
import { moduleOf } from './best-module';
import { remarkOf, sourceOf } from './best-words';

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

/** Each as `/best` answers, without its program. */
function jsonOf(rows: readonly BestRow[]): string {
  const items = rows.map(({ best, excluded, gpu, problem }) => {
    const { bindings: _, wgsl: __, ...answer } = best ?? {};
    return { gpu: gpu?.id ?? null, problem, best: best && answer, excluded };
  });
  return `${JSON.stringify({ items }, null, 2)}\n`;
}

function csvOf(rows: readonly BestRow[], { op }: Question): string {
  const sides = opById(op).dimensions.map(({ name }) => name as string);
  const tunables = [
    ...new Set(rows.flatMap(({ best }) => Object.keys(best?.variant.tunables ?? {}))),
  ];
  const head = [
    ...['gpu', 'op', 'dtype', 'profile', 'engine', ...sides, 'kernel', ...tunables],
    ...['ns', 'error', 'rate', 'unit', 'gb_per_s', 'part_of_memory', 'source', 'remark'],
  ];
  return csvTable(
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
        ...[sourceOf(row), remarkOf(row) ?? ''],
      ];
    }),
  );
}

const idOf = (gpu: BestRow['gpu']): string => gpu?.id ?? 'any';

/** How a row's kernel divides its work, in the terms of register tiling; zeros where it does not. */
function tilingOf({ best, problem }: BestRow) {
  const kernel = best ? kernelById(best.variant.kernel) : undefined;
  if (!best?.needs || kernel?.runsOn !== 'gpu') return null;
  const [x, y, z] = best.needs.workgroupSize;
  const tile = tileOf(kernel, best.variant.tunables, problem.dtype);
  return {
    ...{ x, y, z },
    tile: [tile?.rows ?? 0, tile?.cols ?? 0],
    perThread: tile?.elementsPerThread ?? 0,
    depth: Number(best.variant.tunables.BK ?? best.variant.tunables.TILE ?? 0),
  };
}

/** A literal of C. GPUs are called as who attached them, or whoever made the link, likes. */
const inC = (text: string): string => JSON.stringify(text);

/** The rest of a line: it ends with the line, which a backslash would continue. */
const noteOf = (row: BestRow): string =>
  `${row.best?.address}; ${sourceOf(row)}`.replaceAll(/[\s\\]+/g, ' ');

const sidesIn = ({ problem }: BestRow): string => Object.values(problem.shape).join(', ');

function ggmlOf(rows: readonly BestRow[], { op, dtype }: Question): string {
  const lines = rows.flatMap((row) => {
    const tiling = tilingOf(row);
    if (!tiling || !row.best) return [];
    const [m, n] = tiling.tile;
    return `    { ${inC(idOf(row.gpu))}, { ${sidesIn(row)} }, ${tiling.x}, ${tiling.y}, ${m}, ${n}, ${tiling.depth} }, // ${noteOf(row)}`;
  });
  return `// ${op} ${dtype}: workgroup and tile sizes by GPU and shape, in the terms of ggml-webgpu's MUL_MAT parameters.
// tile_* is what one workgroup computes; 0 where a kernel does not tile.
struct ggml_webgpu_mul_mat_choice {
    const char * gpu;
    uint32_t     shape[4];
    uint32_t     wg_size_m, wg_size_n, tile_m, tile_n, tile_k;
};

static const ggml_webgpu_mul_mat_choice ggml_webgpu_mul_mat_choices[] = {
${lines.join('\n')}
};
`;
}

function onnxOf(rows: readonly BestRow[], { op, dtype }: Question): string {
  const lines = rows.flatMap((row) => {
    const tiling = tilingOf(row);
    if (!tiling || !row.best) return [];
    const { x, y, z, tile } = tiling;
    const [rowsOf = 0, columns = 0] = tile;
    const per = [columns / x, rowsOf / y].map((count) => Math.max(1, Math.floor(count)));
    return `    {${inC(idOf(row.gpu))}, {${sidesIn(row)}}, {${x}, ${y}, ${z}}, {${per.join(', ')}, 1}, ${tiling.depth}},  // ${noteOf(row)}`;
  });
  return `// ${op} ${dtype}: workgroup_size, elements_per_thread and tile_inner by GPU and shape,
// in the terms of the MatMul program of ONNX Runtime's WebGPU provider.
struct MatMulChoice {
  const char* gpu;
  uint32_t shape[4];
  uint32_t workgroup_size[3];
  uint32_t elements_per_thread[3];
  uint32_t tile_inner;
};

constexpr MatMulChoice kMatMulChoices[] = {
${lines.join('\n')}
};
`;
}
