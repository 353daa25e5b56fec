import { type Comparison, Tally } from '../compare';
import type { Dtype } from '../dtype';
import type { Tensor } from '../kernel';
import type { MatmulShape } from '../problem';
import { anyDataBound } from './bound';
import { NormBounds } from './norm-bounds';
import { columnNorms, referenceRow, rowNorms } from './reference';

/** Multiply-adds of the f64 reference that take about 0.3 s on one core of 2026. */
const WHOLE_LIMIT = 2 ** 27;

/** Elements of a whole reference that is worth its memory, 8 bytes each: larger ones have a short K. */
const KEPT_ELEMENTS = 2 ** 20;

/** Whether the O(n^3) reference is quick enough to compare every element. */
export function canCompareWhole({ m, n, k }: MatmulShape): boolean {
  return m * n * k <= WHOLE_LIMIT;
}

/**
 * What every element of a product is compared with. Rows of the reference are computed
 * when first asked for and kept where they are few: a second product of the same inputs
 * costs little.
 */
export class ProductReference {
  readonly #bounds: NormBounds;
  readonly #rows = new Map<number, Float64Array>();

  constructor(
    readonly shape: MatmulShape,
    /** `i32` for integer-valued inputs of any dtype: their products are exact. */
    readonly dtype: Dtype,
    readonly a: Tensor,
    readonly b: Tensor,
    /** See `Kernel.errorGrowth`. */
    errorGrowth?: number,
  ) {
    const norms = [rowNorms(shape, a), columnNorms(shape, b)] as const;
    this.#bounds = new NormBounds(shape, dtype, ...norms, errorGrowth);
  }

  /** Compares every element of C with the f64 reference by the bound that holds for any data. */
  compareAnyData(c: Tensor): Comparison {
    const { shape, dtype, a, b } = this;
    const [aMagnitudes, bMagnitudes] = [a.map(Math.abs), b.map(Math.abs)];
    const tally = new Tally();
    for (let row = 0; row < shape.m; row++) {
      const want = referenceRow(shape, a, b, row);
      const magnitudes = referenceRow(shape, aMagnitudes, bMagnitudes, row);
      for (let col = 0; col < shape.n; col++) {
        const exact = want[col] as number;
        const bound = anyDataBound(dtype, magnitudes[col] as number, shape.k, exact);
        tally.add(row, col, c[row * shape.n + col] ?? Number.NaN, exact, bound);
      }
    }
    return tally.result();
  }

  /** Compares every element of C with the f64 reference. */
  compareWhole(c: Tensor): Comparison {
    const { shape, a, b } = this;
    const tally = new Tally();
    const isSmall = shape.m * shape.n <= KEPT_ELEMENTS;
    for (let row = 0; row < shape.m; row++) {
      const reference = () => referenceRow(shape, a, b, row);
      const want = isSmall ? kept(this.#rows, row, reference) : reference();
      this.#bounds.compareRow(c, row, want, tally);
    }
    return tally.result();
  }
}

/** The value of a key, made when it is first asked for. */
function kept<V>(values: Map<number, V>, key: number, make: () => V): V {
  const value = values.get(key) ?? make();
  values.set(key, value);
  return value;
}
