import type { ResultDetail } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';

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
    `--shape ${shapeText(problem)}`,
    `--dtype ${problem.dtype}`,
    `--profile ${profile}`,
    ...(policy === 'default' ? [] : [`--policy ${policy}`]),
  ].join(' ');
  return { bench, rerun: `${tilemark} rerun ${resultId} --server ${origin}` };
}
