import type { SweepSpec } from '../spec';

/** A number a person may set before running a suite. */
export interface SuiteParam {
  readonly name: string;
  readonly about: string;
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

/** A named, versioned sweep. Its version goes up when the runs it expands to change. */
export interface Suite<Name extends string = string> {
  readonly id: string;
  readonly version: number;
  readonly title: string;
  /** One line: the question the suite answers. */
  readonly about: string;
  readonly params: readonly (SuiteParam & { readonly name: Name })[];
  /** The sweep for values that are whole, inside their range, and complete. */
  readonly spec: (params: Readonly<Record<Name, number>>) => SweepSpec;
}

/** The edge of the square matrices of a suite. */
export const edge = (value: number) => ({
  name: 'n' as const,
  about: 'Rows and columns of the square matrices',
  min: 16,
  max: 16_384,
  default: value,
});

export const square = (n: number) => ({ m: n, n, k: n });
