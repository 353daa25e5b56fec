import { type Outcome, outcomeReason } from '@tilemark/core';

/** What the outcome of a run says of its kernel, in the words of a table. */
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

/** From the worst on. */
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
const OF_TIME = /did not end within|per dispatch|no answer for/;
const OF_MEMORY = /out of GPU memory|too much memory|allocate/;

export function findingOf(outcome: Outcome | null | undefined): Finding {
  switch (outcome?.kind) {
    case 'measured':
      return 'right';
    case 'incorrect':
      return 'wrong';
    case 'skipped':
      return 'needs more than this device has';
    case 'failed':
      if (OF_TIME.test(outcome.message)) return 'too slow here';
      if (OF_MEMORY.test(outcome.message)) return 'needs more than this device has';
      if (outcome.stage === 'compile') return 'does not compile';
      return /\bwrote\b/.test(outcome.message) ? 'wrong' : 'not run';
    default:
      return 'not run';
  }
}

export function exitOf(finding: Finding): CheckExit {
  if (finding === 'right') return CHECK_EXIT.right;
  if (finding === 'wrong') return CHECK_EXIT.wrong;
  return finding === 'does not compile' ? CHECK_EXIT.uncompiled : CHECK_EXIT.unchecked;
}

/** The reason with the place in the file, as editors take it: `my.wgsl:12:5: ...`. */
export function reasonIn(outcome: Outcome | null, path: string): string {
  const reason = outcomeReason(outcome) ?? '';
  const [, what, line, column, text] =
    /^compile: ([\s\S]*) \(line (\d+)(?:, column (\d+))?: ([\s\S]*)\)$/.exec(reason) ?? [];
  if (line !== undefined) return `${path}:${line}${column ? `:${column}` : ''}: ${what}\n  ${text}`;
  const isUnset = outcome?.kind === 'incorrect' && outcome.worst.got === 'NaN';
  return isUnset && outcome.when === 'before'
    ? `${reason}: it was never written (check \`covers\`), or the kernel computes NaN`
    : reason;
}
