import type { ResultDetail } from '@tilemark/core';
import { isContributed, type Problem, shapeText } from '@tilemark/kernels';

/** The command that measures a result again on the reader's own machine, and compares the two. */
export const rerunCommand = (resultId: string | null, origin: string): string =>
  `npx -y ${origin}/worker.tgz rerun ${resultId} --server ${origin}`;

const problemFlags = (problem: Problem): string[] => [
  `--shape ${shapeText(problem)}`,
  `--dtype ${problem.dtype}`,
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
