import type { Dtype, MatmulShape, Shape, TunableValue } from '@tilemark/kernels';
import type { DeviceClass } from '../measure/device';
import type { SweepCase, SweepSpec } from '../plan/spec';

/** A number to choose before running a suite. */
export interface SuiteParam<Name extends string = string> {
  readonly name: Name;
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
  readonly params: readonly SuiteParam<Name>[];
  /**
   * Classes whose devices run the suite automatically when first seen, each with the
   * parameters that differ from the defaults. The suite is not standing for other classes.
   */
  readonly standing?: Readonly<
    Partial<Record<DeviceClass, Readonly<Partial<Record<Name, number>>>>>
  >;
  /** The sweep for values that are whole, inside their range, and complete. */
  readonly spec: (params: Readonly<Record<Name, number>>) => SweepSpec;
}

/** The edge of the square matrices of a suite. */
export const edge = (value: number): SuiteParam<'n'> => ({
  name: 'n',
  about: 'Rows and columns of the square matrices',
  min: 16,
  max: 16_384,
  default: value,
});

export const square = (n: number): MatmulShape => ({ m: n, n, k: n });

/** The cases under the default profile and policy, which a submission may override. */
export const sweepOf = (cases: SweepCase[]): SweepSpec => ({
  cases,
  profiles: ['default'],
  policy: 'default',
});

/** A kernel with the values to try for each tunable, on every shape; in f32 by default. */
export const caseOf = (
  kernel: string,
  tunables: Readonly<Record<string, TunableValue[]>>,
  shapes: Shape[],
  dtypes: Dtype[] = ['f32'],
): SweepCase => ({ kernel, tunables, shapes, dtypes });
