import {
  type DuelOutcome,
  type Outcome,
  outcomeReason,
  type Verdict,
  verdictOn,
} from '@tilemark/core';
import { type Checked, findingOf } from '@tilemark/core/contributed';
import { type Problem, particularsText, shapeText } from '@tilemark/kernels';
import { CHECK_EXIT, exitOf, precisionCells, reasonIn, worstExit } from './finding';

interface Comparison {
  /** Its name. */
  readonly device: string;
  /** Of the kernel's file. */
  readonly path: string;
  readonly print: (text: string) => void;
  /** How much slower is slower: 0.02 is 2%. */
  readonly tolerance: number;
}

/**
 * `tilemark check --baseline`: lets a kernel that is right take turns with an earlier one, and prints a
 * Markdown table. Returns the exit code, see `CHECK_EXIT`: what was not compared does not pass.
 *
 * @param own measures the kernel alone
 * @param turns lets the kernel, as A, and its baseline take turns
 */
export async function compareWith(
  problems: readonly Problem[],
  own: (problem: Problem) => Promise<Checked>,
  turns: (problem: Problem) => Promise<DuelOutcome>,
  { device, path, print, tolerance }: Comparison,
): Promise<number> {
  const rows: string[][] = [];
  const exits: ReturnType<typeof exitOf>[] = [];
  for (const asked of problems) {
    const { outcome: alone, problem } = await own(asked);
    const ended = alone.kind === 'measured' ? await turns(problem) : null;
    const outcome = ended?.kind === 'ended' && ended.side === 'a' ? ended.outcome : alone;
    const { exit, ratio, verdict } = verdictOf(outcome, ended, tolerance, path);
    const what = `${shapeText(problem)} ${problem.dtype}${particularsText(problem)}`;
    rows.push([device, what, ratio, verdict, ...precisionCells(problem, outcome)]);
    exits.push(exit);
  }
  print(markdownOf(rows));
  return worstExit(exits);
}

function verdictOf(outcome: Outcome, ended: DuelOutcome | null, tolerance: number, path: string) {
  const finding = findingOf(outcome);
  if (finding !== 'right') {
    const verdict = `**${finding}**: ${reasonIn(outcome, path)}`;
    return { ratio: '', verdict, exit: exitOf(finding) };
  }
  const duel = ended?.kind === 'dueled' ? ended.duel : null;
  const disbelieved = duel?.a.implausible ?? duel?.b.implausible;
  if (!duel || disbelieved) {
    const base = ended?.kind === 'ended' ? `baseline: ${outcomeReason(ended.outcome)}` : '';
    const verdict = `**not compared**: ${disbelieved ?? base}`;
    return { ratio: '', verdict, exit: CHECK_EXIT.unchecked };
  }
  const [times, low, high] = [duel.ratio, duel.low, duel.high].map((value) => value.toFixed(3));
  const ratio = `${times} (${low} to ${high})`;
  if (duel.high < 1 - tolerance) return { ratio, verdict: '**slower**', exit: CHECK_EXIT.slower };
  const { verdict } = verdictOn(duel.ratio, duel.low, duel.high);
  return { ratio, verdict: WORDS[verdict], exit: CHECK_EXIT.right };
}

const WORDS: Readonly<Record<Verdict, string>> = {
  FAST: 'faster',
  SLOW: 'slower, as tolerated',
  SAME: 'the same',
  UNDECIDED: 'undecided',
};

function markdownOf(rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const head = ['device', 'problem', 'times as fast (95%)', 'verdict', 'RMS error', 'repeatable'];
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map(cell).join(' | ')} |`)
    .join('\n');
}
