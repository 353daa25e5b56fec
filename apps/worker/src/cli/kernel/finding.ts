import { type Outcome, outcomeReason, repeatableText } from '@tilemark/core';
import { DTYPES, opOf, type Problem } from '@tilemark/kernels';
import { significant } from '../table';

/** The finding that an outcome makes of its kernel, in the words of a table. */
export type Finding =
  | 'right'
  | 'wrong'
  | 'does not compile'
  | 'too slow here'
  | 'needs more than this device has'
  | 'not run';

/**
 * Exit codes of `check`, by what is worst: 1 wrong, 5 does not compile, 6 could not be checked or
 * compared here, 4 slower than its baseline. 2 and 3 are bad options and a refused token.
 */
export const CHECK_EXIT = { right: 0, wrong: 1, slower: 4, uncompiled: 5, unchecked: 6 } as const;
type CheckExit = (typeof CHECK_EXIT)[keyof typeof CHECK_EXIT];

/** The findings, the worst first. */
const SEVERITY = [
  CHECK_EXIT.wrong,
  CHECK_EXIT.uncompiled,
  CHECK_EXIT.unchecked,
  CHECK_EXIT.slower,
  CHECK_EXIT.right,
];

export const worstExit = (exits: readonly CheckExit[]): CheckExit =>
  SEVERITY.find((exit) => exits.includes(exit)) ?? CHECK_EXIT.unchecked;

/** Limits of time: they say as much of the machine and its load as of the kernel. */
const HUNG = /did not end within|no answer for/;
const OF_TIME = /per dispatch/;

/** Whether a kernel was tried for as long as it may take. */
export const hasHung = (outcome: Outcome): boolean =>
  outcome.kind === 'failed' && HUNG.test(outcome.message);
const OF_DEVICE =
  /out of GPU memory|too much memory|allocate|is not allowed in the current environment/;
/** It wrote elsewhere, or nothing. */
const OF_KERNEL = /\bwrote\b|there are 0 workgroups/;

export function findingOf(outcome: Outcome | null | undefined): Finding {
  switch (outcome?.kind) {
    case 'measured':
      return 'right';
    case 'incorrect':
      return 'wrong';
    case 'skipped':
      return 'needs more than this device has';
    case 'failed':
      if (hasHung(outcome) || OF_TIME.test(outcome.message)) return 'too slow here';
      if (OF_DEVICE.test(outcome.message)) return 'needs more than this device has';
      if (outcome.stage === 'compile') return 'does not compile';
      return OF_KERNEL.test(outcome.message) ? 'wrong' : 'not run';
    default:
      return 'not run';
  }
}

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
