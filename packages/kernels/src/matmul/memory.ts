/**
 * How shaders of products reach memory: what they bind, as a dtype stores it, and what becomes of sums on
 * their way to C. A kernel that works element by element is a body that calls `load_a(row, k)`,
 * `load_b(k, col)` and `store_c(row, col, sum)`, with `elementMemory` before it. Emitters of tiles, strips and
 * fragments write loads of their own over `matrices`, and what they store by `stored` and `storedFour`.
 */
import { bindingNumbers } from '../kernel/bindings';
import type { GpuKernel, WrittenFor } from '../kernel/kernel';
import { DTYPES, type Dtype, inputsOf, isByRows } from '../problem/dtype';
import { EPILOGUES, type Epilogue, finishedWgsl, hasBias } from '../problem/epilogue';
import { declared, readerOf, STORAGES, type Storage, type StoragePart } from '../problem/storage';

/** The dtype, batch and epilogue that a shader is written for. */
export interface Written {
  /** The dtype, where B is not as kernels have it otherwise: K x N, elements as those of C. */
  readonly weights?: Dtype | undefined;
  /** Whether z of a workgroup counts products of one shape, which lie one after the other in memory. */
  readonly batched?: boolean;
  /** What each sum is put through before it is stored. */
  readonly epilogue?: Epilogue | undefined;
}

/** Whether A, B and C are arrays of the same elements, B by columns: as kernels are written. */
const isPlain = (dtype: Dtype): boolean =>
  !isByRows(dtype) &&
  inputsOf(dtype).every(({ storage }) => storage === DTYPES[dtype].tensors.C.storage);

/** `Written.weights` of a dtype. */
export const weightsOf = (dtype: Dtype): Dtype | undefined => (isPlain(dtype) ? undefined : dtype);

export const storageOf = (dtype: Dtype, name: 'A' | 'B'): Storage =>
  STORAGES[DTYPES[dtype].tensors[name].storage];

/** The part of B that holds the scales of its blocks; undefined for elements by themselves. */
export const scalesOf = (dtype: Dtype): StoragePart | undefined =>
  storageOf(dtype, 'B').parts.find(({ name }) => name === 'scales');

/** The number of a binding. Without weights, bindings are numbered alike in all dtypes. */
const numberOf = ({ weights = 'f32', epilogue }: Written, name: string): number =>
  bindingNumbers('matmul', weights, epilogue)[name] ?? 0;

/** The number of the memory that dispatches share. */
export const scratchOf = (written: Written): number => numberOf(written, 'scratch');

/** An array that a binding is read or written as. */
export type View = readonly [name: string, type: string];

/** Declares all that a product binds, but for scratch memory: the given views of each matrix, and the rest. */
export function matrices(
  written: Written,
  views: Readonly<Record<'A' | 'B' | 'C', readonly View[]>>,
): string {
  const { weights = 'f32' } = written;
  const bound = (matrix: 'A' | 'B' | 'C', access: string) =>
    views[matrix].map(
      ([name, type]) =>
        `@group(0) @binding(${numberOf(written, matrix)}) var<storage, ${access}> ${name}: array<${type}>;`,
    );
  const beside = (name: 'A' | 'B') => {
    const [, ...parts] = storageOf(weights, name).parts;
    const text = declared(
      name,
      { ...storageOf(weights, name), parts },
      numberOf(written, name) + 1,
    );
    return text === '' ? [] : [text];
  };
  return [
    'struct Shape { m: u32, n: u32, k: u32 }',
    ...bound('A', 'read'),
    ...beside('A'),
    ...bound('B', 'read'),
    ...beside('B'),
    ...bound('C', 'read_write'),
    `@group(0) @binding(${numberOf(written, 'shape')}) var<uniform> shape: Shape;`,
    ...finishing(written),
  ].join('\n');
}

/** Bounded, since WGSL does not say what an infinite 1 + e^x makes of a quotient. */
const EXP = 'fn exp_of(x: f32) -> f32 { return exp(min(x, 80.0)); }';

const FINISHED_FOUR = `fn finished4(sums: vec4f, col: u32) -> vec4f {
  return vec4f(
    finished(sums.x, col),
    finished(sums.y, col + 1),
    finished(sums.z, col + 2),
    finished(sums.w, col + 3),
  );
}`;

/** `finished(sum, col)` and `finished4`: an epilogue, computed in f32 whatever sums are kept in. */
function finishing(written: Written): string[] {
  const { epilogue } = written;
  if (epilogue === undefined) return [];
  return [
    `// ${EPILOGUES[epilogue].words}, of each sum.`,
    finishedWgsl({ epilogue }, EXP),
    FINISHED_FOUR,
    ...(hasBias({ epilogue })
      ? [
          `@group(0) @binding(${numberOf(written, 'bias')}) var<storage, read> bias: array<T>;`,
          'fn load_bias(col: u32) -> f32 { return f32(bias[min(col, shape.n - 1)]); }',
        ]
      : []),
  ];
}

/** WGSL of what is stored of a sum of column `col`. */
export const stored = ({ epilogue }: Written, sum: string, col: string): string =>
  epilogue === undefined ? `T(${sum})` : `T(finished(f32(${sum}), ${col}))`;

/** WGSL of what is stored of four sums side by side, from column `col` on. */
export const storedFour = ({ epilogue }: Written, sums: string, col: string): string =>
  epilogue === undefined ? `vec4<T>(${sums})` : `vec4<T>(finished4(vec4f(${sums}), ${col}))`;

/** A row of a matrix, where the matrices of a batch are one below the other, `rows` each. */
export const rowOf = ({ batched }: Written, rows: string, row: string): string =>
  batched ? `(product * ${rows} + ${row})` : row;

/**
 * The declarations before a body that computes element by element:
 * - `for_product(z)`: which product of a batch it is about, to be called first;
 * - `load_a(row, k)` and `load_b(k, col)`: elements as an S, which is T or, if they are decoded, Acc;
 * - `store_c(row, col, sum)`: through the epilogue, if there is one;
 * - `a_at`, `b_at`, `c_at`: where these lie; `load_A(at)` and `load_B(at)` read there;
 * - `SCRATCH`: the binding of scratch memory.
 */
export function elementMemory(
  dtype: Dtype,
  { batched, epilogue }: Omit<Written, 'weights'>,
): string {
  const written = { weights: weightsOf(dtype), batched, epilogue } as Written;
  const [a, b] = [storageOf(dtype, 'A'), storageOf(dtype, 'B')];
  const elements = ({ parts: [part] }: Storage) => part?.item.element ?? 'T';
  const inB = isByRows(dtype)
    ? `${rowOf(written, 'shape.n', 'col')} * shape.k + k`
    : `${rowOf(written, 'shape.k', 'k')} * shape.n + col`;
  return `alias S = ${isPlain(dtype) ? 'T' : 'Acc'};
${matrices(written, { A: [['A', elements(a)]], B: [['B', elements(b)]], C: [['C', 'T']] })}
const SCRATCH = ${scratchOf(written)};
${batched ? 'var<private> product: u32;\n' : ''}fn for_product(z: u32) {${batched ? ' product = z; ' : ''}}
${readerOf('A', a)}
${readerOf('B', b)}
fn a_at(row: u32, k: u32) -> u32 { return ${rowOf(written, 'shape.m', 'row')} * shape.k + k; }
fn b_at(k: u32, col: u32) -> u32 { return ${inB}; }
fn c_at(row: u32, col: u32) -> u32 { return ${rowOf(written, 'shape.m', 'row')} * shape.n + col; }
fn load_a(row: u32, k: u32) -> S { return load_A(a_at(row, k)); }
fn load_b(k: u32, col: u32) -> S { return load_B(b_at(k, col)); }
fn store_c(row: u32, col: u32, sum: Acc) {
  C[c_at(row, col)] = ${stored(written, 'sum', 'col')};
}
`;
}

/** The shader of a kernel that is such a body. */
export const overElements =
  (body: string): GpuKernel['wgsl'] & object =>
  (_values: unknown, dtype: Dtype, written: WrittenFor) =>
    `${elementMemory(dtype, written)}\n${body}`;
