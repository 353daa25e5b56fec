import { bindingNumbers } from '../bindings';
import { DTYPES, type Dtype, inputsOf, isByRows } from '../dtype';
import { declared, readerOf, STORAGES, type Storage, type StoragePart } from '../storage';

/** Whether A, B and C are arrays of the same elements, B by columns: as kernels are written. */
export const isPlain = (dtype: Dtype): boolean =>
  !isByRows(dtype) &&
  inputsOf(dtype).every(({ storage }) => storage === DTYPES[dtype].tensors.C.storage);

/**
 * The source of a kernel that reads A and B element by element, with A, B, C and the shape at bindings
 * 0 to 3, changed to read them as a dtype stores them: one line of WGSL per `load_A`, `load_B`.
 */
export function asStored(wgsl: string, dtype: Dtype): string {
  if (isPlain(dtype)) return wgsl;
  const { A, B, C, shape } = bindingNumbers('matmul', dtype);
  const [a, b] = inputsOf(dtype).map(({ storage }) => STORAGES[storage]);
  if (!a || !b) throw new TypeError(`${dtype} has no A and B`);
  const at = isByRows(dtype) ? 'col * shape.k + p' : 'p * shape.n + col';
  return wgsl
    .replace('@binding(3)', `@binding(${shape})`)
    .replace('@binding(2)', `@binding(${C})`)
    .replace(/^.*var<storage, read> A: .*$/m, `alias S = Acc;\n${readerOf('A', a, A ?? 0)}`)
    .replace(/^.*var<storage, read> B: .*$/m, readerOf('B', b, B ?? 0))
    .replaceAll(/Acc\(A\[(.*?)\]\)/g, 'load_A($1)')
    .replaceAll('Acc(B[p * shape.n + col])', `load_B(${at})`);
}

/** WGSL that declares what a tensor has beside its values: scales, zero points. */
export function besideValues(name: 'A' | 'B', dtype: Dtype): string {
  const storage: Storage = STORAGES[DTYPES[dtype].tensors[name].storage];
  const [, ...parts] = storage.parts;
  const { [name]: number = 0 } = bindingNumbers('matmul', dtype);
  return declared(name, { ...storage, parts }, number + 1);
}

/** The part of B that holds the scales of its blocks; undefined for elements by themselves. */
export const scalesOf = (dtype: Dtype): StoragePart | undefined => {
  const { parts }: Storage = STORAGES[DTYPES[dtype].tensors.B.storage];
  return parts.find(({ name }) => name === 'scales');
};

/** The type of C's elements is that of A's, where A is not in blocks. */
export const isHalf = (dtype: Dtype): boolean => DTYPES[dtype].element === 'f16';
