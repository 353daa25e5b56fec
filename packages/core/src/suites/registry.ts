import { InputError } from '@tilemark/kernels';
import type { SweepSpec } from '../spec';
import { blockSize, hostVsDevice, layouts } from './layouts';
import { microOptimisations } from './micro-optimisations';
import { peak } from './peak';
import { starter } from './starter';
import type { Suite, SuiteParam } from './suite';
import { threadsPerBlock, tiledVsNaive, tilingLadder } from './tiling';
import { transposeLadder } from './transpose-ladder';

/** Every suite, in the order shown. */
export const SUITES: readonly Suite[] = [
  starter,
  tilingLadder,
  tiledVsNaive,
  threadsPerBlock,
  layouts,
  blockSize,
  microOptimisations,
  hostVsDevice,
  transposeLadder,
  peak,
];

/** `starter@1`: what a sweep keeps of the suite it came from. */
export const suiteRef = (suite: Suite): string => `${suite.id}@${suite.version}`;

/** Throws `InputError` at `suite` when there is no suite of that name. */
export function findSuite(id: string): Suite {
  const suite = SUITES.find((each) => each.id === id);
  if (suite) return suite;
  const known = SUITES.map((each) => each.id).join(', ');
  throw new InputError(`There is no suite ${JSON.stringify(id)}. Suites: ${known}.`, 'suite');
}

/**
 * The sweep a suite stands for, with defaults for the parameters left out.
 * Throws `InputError` at `suite` or `params.<name>`.
 */
export function suiteSpec(id: string, params: Readonly<Record<string, number>> = {}): SweepSpec {
  const suite = findSuite(id);
  for (const name of Object.keys(params)) {
    if (!suite.params.some((param) => param.name === name)) {
      const known = suite.params.map((param) => param.name).join(', ') || 'none';
      throw new InputError(
        `Suite ${id} has no parameter ${JSON.stringify(name)}. Its parameters: ${known}.`,
        `params.${name}`,
      );
    }
  }
  return suite.spec(
    Object.fromEntries(suite.params.map((param) => [param.name, checkedValue(param, params)])),
  );
}

function checkedValue(param: SuiteParam, params: Readonly<Record<string, number>>): number {
  const { name, min, max } = param;
  const value = params[name] ?? param.default;
  if (!Number.isInteger(value) || !(value >= min && value <= max)) {
    throw new InputError(
      `${name} is ${Number.isNaN(value) ? 'no number' : value}, but takes whole numbers from ${min} to ${max}.`,
      `params.${name}`,
    );
  }
  return value;
}
