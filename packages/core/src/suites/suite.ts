import type { Dtype, MatmulShape, Shape, TunableValue } from '@tilemark/kernels';
import type { DeviceClass } from '../device';
import type { PublishedTable } from '../published/table';
import type { SweepCase, SweepSpec } from '../spec';

/** A number a person may set before running a suite. */
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
  /** Figures of the report that it reproduces. */
  readonly published?: PublishedTable;
  /**
   * By class, what a device gets by itself when it is first seen: parameters other than
   * the defaults. The suite is not standing for classes left out.
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

/** The cases under the default profile and policy, which a submission may replace. */
export const sweepOf = (cases: SweepCase[]): SweepSpec => ({
  cases,
  profiles: ['default'],
  policy: 'default',
});

/** The values to try of each tunable of a kernel on every shape, in f32 unless said otherwise. */
export const caseOf = (
  kernel: string,
  tunables: Readonly<Record<string, TunableValue[]>>,
  shapes: Shape[],
  dtypes: Dtype[] = ['f32'],
): SweepCase => ({ kernel, tunables, shapes, dtypes });
