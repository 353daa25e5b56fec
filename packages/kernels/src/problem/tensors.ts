import { DTYPES, type Dtype, inputsOf, type Order } from './dtype';
import type { TensorDims } from './op';
import { STORAGES, type Storage, type StoragePart } from './storage';

/** A part of a stored tensor: one buffer, one binding. */
interface StoredPart extends StoragePart {
  /** Of its binding: `B`, `B_scales`. */
  readonly binding: string;
  /** Items. */
  readonly length: number;
  readonly bytes: number;
}

/** A tensor as it lies in memory. */
export interface StoredTensor {
  readonly name: string;
  readonly order: Order;
  readonly storage: Storage;
  /** Rows and columns in memory; the tensors of a batch are one below the other. */
  readonly dims: TensorDims;
  readonly parts: readonly StoredPart[];
}

/** The tensors of an op for a shape. */
interface Tensors {
  /** Inputs, then the output. */
  readonly names: readonly string[];
  readonly inputs: readonly TensorDims[];
  readonly output: TensorDims;
  readonly batch: number;
}

function stored(
  name: string,
  dims: TensorDims,
  {
    storage: id,
    order = 'row-major',
    batch,
  }: { storage: keyof typeof STORAGES; order?: Order; batch: number },
): StoredTensor {
  const storage: Storage = STORAGES[id];
  const { rows, cols } =
    order === 'transposed' ? { rows: batch * dims.cols, cols: dims.rows / batch } : dims;
  const perRow = Math.ceil(cols / storage.block) * storage.block;
  return {
    name,
    order,
    storage,
    dims: { rows, cols },
    parts: storage.parts.map((part) => {
      const length = (rows * perRow) / part.shared;
      const binding = part.name ? `${name}_${part.name}` : name;
      return { ...part, binding, length, bytes: Math.ceil(length * part.item.bytes) };
    }),
  };
}

/** The bias of an output with so many columns: an element for each, stored as those are. */
export const storedBias = (cols: number, dtype: Dtype): StoredTensor =>
  stored('bias', { rows: 1, cols }, { ...DTYPES[dtype].tensors.C, batch: 1 });

export interface StoredTensors {
  readonly inputs: readonly StoredTensor[];
  readonly output: StoredTensor;
}

/** The tensors of an op's problem as they lie in memory. */
export function storedTensors(
  { names, inputs, output, batch }: Tensors,
  dtype: Dtype,
): StoredTensors {
  const [ofOutput] = names.slice(inputs.length);
  const as = inputsOf(dtype);
  return {
    inputs: inputs.map((dims, at) =>
      stored(names[at] ?? '', dims, { storage: DTYPES[dtype].tensors.C.storage, ...as[at], batch }),
    ),
    output: stored(ofOutput ?? '', output, { ...DTYPES[dtype].tensors.C, batch }),
  };
}
