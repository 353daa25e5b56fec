import type { Tally } from '../compare';
import type { Dtype } from '../dtype';
import type { Tensor } from '../kernel';
import type { MatmulShape } from '../problem';
import { elementBound, residualBound } from './bound';

/** The bounds of a product that follow from the norms of A's rows and B's columns. */
export class NormBounds {
  readonly #shape: MatmulShape;
  readonly #dtype: Dtype;
  readonly #aNorms: Float64Array;
  readonly #bNorms: Float64Array;
  readonly #bFrobenius: number;

  /**
   * @param dtype `i32` for integer-valued inputs of any dtype: their products are exact
   * @param errorGrowth see `Kernel.errorGrowth`
   */
  constructor(
    shape: MatmulShape,
    dtype: Dtype,
    aNorms: Float64Array,
    bNorms: Float64Array,
    errorGrowth?: number,
  ) {
    this.#shape = shape;
    this.#dtype = dtype;
    if (errorGrowth === undefined) {
      this.#aNorms = aNorms;
      this.#bNorms = bNorms;
    } else {
      this.#aNorms = new Float64Array(shape.m).fill(errorGrowth * largest(aNorms));
      this.#bNorms = new Float64Array(shape.n).fill(largest(bNorms));
    }
    this.#bFrobenius = Math.sqrt(this.#bNorms.reduce((sum, norm) => sum + norm * norm, 0));
  }

  /** Adds the comparison of one element of C. */
  compare(c: Tensor, row: number, col: number, want: number, tally: Tally): void {
    const got = c[row * this.#shape.n + col] ?? Number.NaN;
    const aNorm = this.#aNorms[row] ?? 0;
    const bNorm = this.#bNorms[col] ?? 0;
    tally.add(row, col, got, want, elementBound(this.#dtype, aNorm, bNorm, want));
  }

  /** Adds the comparison of one row of C. */
  compareRow(c: Tensor, row: number, want: Float64Array, tally: Tally): void {
    for (let col = 0; col < this.#shape.n; col++) {
      this.compare(c, row, col, want[col] as number, tally);
    }
  }

  /** A row's Freivalds residual over its bound; at most 1 passes. */
  residualRatio(row: number, residual: number): number {
    const aNorm = this.#aNorms[row] ?? 0;
    const bound = residualBound(this.#dtype, aNorm, this.#bFrobenius, this.#shape.k);
    return residual === 0 ? 0 : residual / bound;
  }
}

function largest(norms: Float64Array): number {
  return norms.reduce((most, norm) => Math.max(most, norm), 0);
}
