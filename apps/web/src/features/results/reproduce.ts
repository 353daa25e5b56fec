import { isContributed, type ResultDetail } from '@tilemark/core';
import { type Problem, shapeText } from '@tilemark/kernels';

/**
 * The commands that measure the same thing on the reader's own machine, with the worker that the
 * grid serves: from the parameters, or from the published result, comparing the two.
 */
export function reproduceCommands(
  {
    policy,
    problem,
    profile,
    resultId,
    variant,
  }: Pick<ResultDetail, 'resultId' | 'variant' | 'problem' | 'profile' | 'policy'>,
  origin: string,
): { readonly bench: string; readonly rerun: string } {
  const tilemark = `npx -y ${origin}/worker.tgz`;
  const bench = [
    `${tilemark} bench`,
    `--kernel ${variant.kernel}`,
    // One flag per tunable: in `--tunable A=1,B=2`, B=2 is a value of A.
    ...Object.entries(variant.tunables).map(([name, value]) => `--tunable ${name}=${value}`),
    ...problemFlags(problem),
    `--profile ${profile}`,
    ...fromGrid([variant.kernel], origin),
    ...(policy === 'default' ? [] : [`--policy ${policy}`]),
  ].join(' ');
  return { bench, rerun: `${tilemark} rerun ${resultId} --server ${origin}` };
}

const problemFlags = (problem: Problem): string[] => [
  `--shape ${shapeText(problem)}`,
  `--dtype ${problem.dtype}`,
  ...(problem.regime ? [`--regime ${problem.regime}`] : []),
  ...(problem.epilogue ? [`--epilogue ${problem.epilogue}`] : []),
];

/** Where the worker gets contributed kernels from. */
const fromGrid = (kernels: readonly string[], origin: string): string[] =>
  kernels.some(isContributed) ? [`--server ${origin}`] : [];

/**
 * The command that lets the variants of two results take turns on the reader's own machine; null
 * where they are the same variant, or were not measured alike on one device.
 */
export function duelCommand(a: Duelled, b: Duelled, origin: string): string | null {
  const workOf = ({ device, problem, profile }: Duelled) =>
    [device.key, [...problemFlags(problem), `--profile ${profile}`].join(' ')] as const;
  const [device, work] = workOf(a);
  const isAlike = workOf(b).join() === [device, work].join();
  if (!isAlike || a.address === b.address) return null;
  // Quoted: a shell takes the brackets of an address for a pattern.
  const grid = fromGrid([a.variant.kernel, b.variant.kernel], origin);
  return [`npx -y ${origin}/worker.tgz duel '${a.address}' '${b.address}' ${work}`, ...grid].join(
    ' ',
  );
}

type Duelled = Pick<ResultDetail, 'address' | 'device' | 'problem' | 'profile' | 'variant'>;
