import { ceilDiv, opById, type Problem, refuseIf } from '@tilemark/kernels';
import { evaluate, type Names } from './expression';
import type { Dispatched } from './manifest';

type Workgroups = readonly [x: number, y: number, z: number];

/** The most workgroups along one side that every device has. */
const MOST_ALONG_A_SIDE = 65_535;

/** How a count of workgroups rounds: up, so that they cover the rest, but where it adds what rounds up by itself. */
const roundingOf = (count: number | string) =>
  /[+-]/.test(String(count)) ? Math.trunc : Math.ceil;

/** Workgroups of a dispatch for a problem. Throws InputError at `field`. */
export function workgroupsOf(
  { covers, workgroups }: Dispatched,
  names: Names,
  problem: Problem,
  field: string,
): Workgroups {
  const positive = (
    expression: number | string,
    name: string,
    is: (value: number) => string,
    round?: (value: number) => number,
  ) => {
    const value = evaluate(expression, names, `${field}.${name}`, round);
    refuseIf(value < 1, `${is(value)}; it must be 1 or more`, `${field}.${name}`);
    return value;
  };
  if (covers) {
    const { rows, cols, split, order } = covers;
    const side = (expression: number | string, name: string) =>
      positive(expression, `covers.${name}`, (value) => `a workgroup covers ${value} ${name}`);
    const output = opById(problem.op).output(problem.shape);
    const across = ceilDiv(output.cols, side(cols, 'cols'));
    const down = ceilDiv(output.rows, side(rows, 'rows'));
    const deep = side(split, 'split');
    if (order === 'flat') return [across * down, 1, deep];
    return order === 'rows-x' ? [down, across, deep] : [across, down, deep];
  }
  const count = (expression: number | string, name: string) =>
    positive(
      expression,
      `workgroups${name}`,
      (value) => `there are ${value} workgroups`,
      roundingOf(expression),
    );
  if (Array.isArray(workgroups)) {
    const [x = 1, y = 1, z = 1] = workgroups.map((side, at) => count(side, `[${at}]`));
    return [x, y, z];
  }
  const all = count(workgroups?.linear ?? 1, '.linear');
  const y = ceilDiv(all, MOST_ALONG_A_SIDE);
  return [ceilDiv(all, y), y, 1];
}
