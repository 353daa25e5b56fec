import { type Outcome, outcomeReason, repeatableText } from '@tilemark/core';
import type { Finding } from '@tilemark/core/contributed';
import { DTYPES, opOf, type Problem } from '@tilemark/kernels';
import { significant } from '../table';

/**
 * Exit codes of `check`, by what is worst: 1 wrong, 5 does not compile, 6 could not be checked or
 * compared here, 4 slower than its baseline. 2 and 3 are bad options and a refused token.
 */
export const CHECK_EXIT = { right: 0, wrong: 1, slower: 4, uncompiled: 5, unchecked: 6 } as const;
type CheckExit = (typeof CHECK_EXIT)[keyof typeof CHECK_EXIT];

/** The worst first. */
const SEVERITY = [
  CHECK_EXIT.wrong,
  CHECK_EXIT.uncompiled,
  CHECK_EXIT.unchecked,
  CHECK_EXIT.slower,
  CHECK_EXIT.right,
];

export const worstExit = (exits: readonly CheckExit[]): CheckExit =>
  SEVERITY.find((exit) => exits.includes(exit)) ?? CHECK_EXIT.unchecked;

export function exitOf(finding: Finding): CheckExit {
  if (finding === 'right') return CHECK_EXIT.right;
  if (finding === 'wrong') return CHECK_EXIT.wrong;
  return finding === 'does not compile' ? CHECK_EXIT.uncompiled : CHECK_EXIT.unchecked;
}

/** The reason of an outcome, and the line of the source that a compiler names. */
export function placedReason(outcome: Outcome | null) {
  const reason = outcomeReason(outcome) ?? '';
  const [, what = reason, line, column, text] =
    /^compile: ([\s\S]*) \(line (\d+)(?:, column (\d+))?: ([\s\S]*)\)$/.exec(reason) ?? [];
  return { text: what, line: line === undefined ? null : Number(line), column, source: text };
}

/** The reason with the place in the file, as editors take it: `my.wgsl:12:5: ...`. */
export function reasonIn(outcome: Outcome | null, path: string): string {
  const { column, line, source, text: reason } = placedReason(outcome);
  if (line !== null) return `${path}:${line}${column ? `:${column}` : ''}: ${reason}\n  ${source}`;
  const isUnset = outcome?.kind === 'incorrect' && outcome.worst.got === 'NaN' && !outcome.reason;
  return isUnset && outcome.when === 'before'
    ? `${reason}: it was never written (check \`covers\`)`
    : reason;
}

/** What the compiler remarked on what it took, each with its place in the file. */
export function remarksIn(outcomes: readonly Outcome[], path: string): string[] {
  const remarks = outcomes.flatMap((outcome) => ('remarks' in outcome && outcome.remarks) || []);
  return [
    ...new Set(
      remarks.map((remark) => `${path}:${remark.line}:${remark.column}: ${remark.message}`),
    ),
  ];
}

/**
 * The RMS error in roundoffs, and whether the same inputs give the same bits each time. Integers and
 * what is only moved have no error: they must be equal.
 */
export function precisionCells(
  problem: Problem,
  outcome: Outcome | null,
): readonly [error: string, repeatable: string] {
  if (outcome?.kind !== 'measured') return ['', ''];
  const { isRepeatable, rms } = outcome.measurement.verification;
  const isEqual = DTYPES[problem.dtype].isInteger || opOf(problem).flops(problem.shape) === 0;
  const error = isEqual ? 'exact' : rms === undefined ? '' : `${significant(rms)} roundoffs`;
  return [error, repeatableText(isRepeatable) ?? ''];
}
