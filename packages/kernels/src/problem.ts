import type { Dtype } from './dtype';

/** C[m x n] = A[m x k] B[k x n], all row-major. */
export interface MatmulShape {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/** B[cols x rows] = A[rows x cols] transposed, both row-major. */
export interface TransposeShape {
  readonly rows: number;
  readonly cols: number;
}

export type OpId = 'matmul' | 'transpose';
export type Shape = MatmulShape | TransposeShape;

/** What is computed: op + shape + dtype. How it is computed is the variant's business. */
export type Problem =
  | { readonly op: 'matmul'; readonly shape: MatmulShape; readonly dtype: Dtype }
  | { readonly op: 'transpose'; readonly shape: TransposeShape; readonly dtype: Dtype };

export type MatmulProblem = Extract<Problem, { op: 'matmul' }>;
export type TransposeProblem = Extract<Problem, { op: 'transpose' }>;
