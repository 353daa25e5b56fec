import { InputError, type Problem, type Variant } from '@tilemark/kernels';
import type { Logger } from 'pino';
import { Runner } from '../child/runner';
import { withMachineLock } from '../run/machine-lock';

/**
 * Equal cards of one machine measure at the same time, but share its processor, its memory and its
 * power. What that costs is measured once, before they attach: each card by itself, then all at once.
 */

/** How long a card took by itself and beside the others. */
interface Together {
  readonly card: string;
  readonly alone: Took;
  readonly beside: Took;
}

/** A dispatch on the device, and the whole run, which the host takes part in. */
export interface Took {
  readonly dispatchNs: number;
  readonly runNs: number;
}

/** Noise of so short a run stays below this. */
const COSTS = 0.03;

export async function measureTogether(
  cards: readonly string[],
  measure: (card: string) => Promise<Took>,
): Promise<readonly Together[]> {
  // The first run of a process compiles, and wakes its card.
  await Promise.all(cards.map(measure));
  const alone: Took[] = [];
  for (const card of cards) alone.push(await measure(card));
  const beside = await Promise.all(cards.map(measure));
  return cards.flatMap((card, at) => {
    const [one, other] = [alone[at], beside[at]];
    return one && other ? [{ card, alone: one, beside: other }] : [];
  });
}

const times = (beside: number, alone: number) => `${(beside / alone).toFixed(2)} times`;

/** What a log says of it, and whether results are slower for it. */
export function togetherText(measured: readonly Together[]): { text: string; isCostly: boolean } {
  const text = measured
    .map(
      ({ alone, beside, card }) =>
        `${card} takes ${times(beside.dispatchNs, alone.dispatchNs)} as long for a dispatch, ${times(beside.runNs, alone.runNs)} for a run`,
    )
    .join('; ');
  const isCostly = measured.some(
    ({ alone, beside }) => beside.dispatchNs > (1 + COSTS) * alone.dispatchNs,
  );
  return { text, isCostly };
}

const variant: Variant = { kernel: 'matmul/register-tile', tunables: {} };
const problem: Problem = { op: 'matmul', shape: { m: 2048, n: 2048, k: 2048 }, dtype: 'f32' };

/**
 * Measures the cards of these bus ids and logs what they cost each other. Throws InputError where
 * they cannot be told apart; any other failure is logged, as each card's own worker will meet it.
 */
export async function sayTogether(
  cards: readonly string[],
  entry: URL,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<void> {
  const runners = new Map(cards.map((device) => [device, new Runner({ entry, device })]));
  const measure = async (card: string): Promise<Took> => {
    const beganNs = performance.now() * 1e6;
    const run = { variant, problem, profile: 'default', policy: 'screen' } as const;
    const report = await runners.get(card)?.run(run);
    if (report?.outcome.kind !== 'measured') throw new Error(`${card} measured nothing`);
    const dispatchNs = report.outcome.measurement.cold.medianNs;
    return { dispatchNs, runNs: performance.now() * 1e6 - beganNs };
  };
  try {
    const measured = await withMachineLock(() => measureTogether(cards, measure));
    const { isCostly, text } = togetherText(measured);
    if (isCostly) log.warn(`at the same time ${text}; --device serves one card alone`);
    else log.info(`at the same time ${text}`);
  } catch (error) {
    if (error instanceof InputError) throw error;
    log.warn({ error: String(error) }, 'could not measure the cards at the same time');
  } finally {
    await Promise.all([...runners.values()].map((runner) => runner.close()));
  }
}
