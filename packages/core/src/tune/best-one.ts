/**
 * One variant for all, as a program keeps that is tuned by hand: of those that every GPU can run on every
 * problem, the one with the largest worst share of the best.
 *
 *   cells    a problem on a card that was timed: of the GPUs asked about, else every card that ships
 *   share    the least expected time of a cell over the variant's there, at most 1
 *   choice   the largest least share; of equal ones, the largest mean
 *
 * Variants made for as many processors as a card has are out.
 */
import { type Problem, parseVariant, shapeText } from '@tilemark/kernels';
import { least } from 'd3-array';
import type { BestVariant } from '../api/best';
import type { Profile } from '../measure/device';
import { geometricMean } from '../rank/rank';
import {
  type BestRow,
  type Evidence,
  plainLimits,
  programOf,
  quotesOf,
  runnable,
  shownQuote,
  surveysOf,
} from './best';
import type { Gpu } from './gpus';
import { expectedNs } from './quote';
import type { Prediction } from './selector';
import type { Learned } from './shipped-evidence';
import type { Point } from './space';
import { workOf } from './time-model';

/** A GPU that is asked about, and what is known of it. */
export interface AskedGpu {
  readonly gpu: Gpu | null;
  readonly evidence: Evidence;
}

/** The fastest of each cell are weighed for all: it bounds the work. */
const MOST = 32;

/** The variant for all problems and GPUs, in a row for each. `inTurn` runs each piece of work. */
export async function oneFor(
  problems: readonly Problem[],
  profile: Profile,
  asked: readonly AskedGpu[],
  inTurn: <T>(work: () => T) => Promise<T> = async (work) => work(),
): Promise<BestRow[]> {
  const isUnknown = asked.every(({ evidence }) => timesOf(evidence).length === 0);
  const places = problems.flatMap((problem) =>
    asked.map((one) => {
      const { evidence } = one;
      const limits = plainLimits(problem.dtype, evidence.limits);
      const isKnown = timesOf(evidence).length > 0;
      const judged = isKnown ? evidence : { ...evidence, limits };
      return { ...one, problem, able: runnable(problem, profile, judged).able };
    }),
  );
  const able = (point: Point) =>
    places.every((at) => at.able(point) && workOf(point, at.problem).waves === null);
  const cells = places.flatMap((place) => {
    const { evidence, problem } = place;
    const cards = isUnknown
      ? surveysOf(problem, profile, evidence.engine, able)
      : timesOf(evidence).map((learned) => ({ learned, problem }));
    return cards.map((card) => ({ ...card, place }));
  });
  const candidates = new Map<string, Point>();
  for (const { learned, place, problem } of cells) {
    const quotes = await inTurn(() => quotesOf(learned, problem, place.able));
    for (const point of quotes.filter(able).slice(0, MOST)) candidates.set(point.address, point);
  }
  const more = [...candidates.values()];
  const weigh = async ({ learned, place, problem }: (typeof cells)[number]) => {
    const quotes = await inTurn(() => quotesOf(learned, problem, place.able, more));
    return { place, learned, quotes, of: new Map(quotes.map((one) => [one.address, one])) };
  };
  const weighed = await Promise.all(cells.map(weigh));
  const sharesOf = (address: string) =>
    weighed.map(({ of, quotes }) => shareOf(quotes, of.get(address)));
  const chosen = least([...candidates.keys()], (address) => {
    const shares = sharesOf(address);
    // The mean decides among those that are alike at worst.
    return -Math.min(...shares) - 1e-6 * (geometricMean(shares) ?? 0);
  });
  const worst = chosen === undefined ? 0 : Math.min(...sharesOf(chosen));
  if (chosen === undefined || worst === 0) {
    const excluded = [{ reason: NONE, variants: Math.max(candidates.size, 1) }];
    return places.map(({ gpu, problem }) => ({ gpu, problem, best: null, excluded }));
  }
  const cards = [...new Map(weighed.map(({ learned }) => [learned.device, learned])).values()];
  const ofAll = {
    mean: geometricMean(sharesOf(chosen)) ?? worst,
    worst,
    timed: weighed.filter(({ of, quotes }) => isTimed(quotes, of.get(chosen))).length,
    shares: weighed.length,
    cards: cards.map(({ device }) => device),
    vendors: [...new Set(cards.map(({ vendor }) => vendor))],
  };
  return places.map((place): BestRow => {
    const { evidence, gpu, problem } = place;
    const { basis, engine } = evidence;
    const here = isUnknown ? [] : weighed.filter((one) => one.place === place);
    const cell = least(here, ({ of, quotes }) => shareOf(quotes, of.get(chosen)));
    const quote = cell?.of.get(chosen);
    const ofTint = evidence.learned.length === 0 && cell !== undefined;
    const others = cell?.quotes.filter(({ address }) => address !== chosen).slice(0, 3) ?? [];
    const best: BestVariant = {
      ...{ problem, profile, engine, excluded: [] },
      basis: ofTint ? 'tint' : cell ? basis : 'portable',
      ...programOf(parseVariant(chosen), problem, engine),
      quote: cell && quote && !ofTint ? shownQuote(quote, problem, cell.learned) : null,
      others: others.map(({ address, ns, error, source }) => ({ address, ns, error, source })),
      one: {
        share: cell ? shareOf(cell.quotes, quote) : null,
        isTimed: cell !== undefined && !ofTint && isTimed(cell.quotes, quote),
        ...ofAll,
      },
    };
    return { gpu, problem, best, excluded: [] };
  });
}

const NONE = 'no variant that is known runs every shape on every GPU: ask for fewer';

const timesOf = ({ learned, underTint = [] }: Evidence): readonly Learned[] =>
  learned.length > 0 ? learned : underTint;

/** The part that a variant reaches of the best of a cell; 0: nothing is known of it there. */
const shareOf = ([best]: readonly Prediction[], quote: Prediction | undefined): number =>
  best && quote ? expectedNs(best) / expectedNs(quote) : 0;

/** Whether a share is of two times that were taken on the shape itself. */
const isTimed = ([best]: readonly Prediction[], quote: Prediction | undefined): boolean =>
  [best, quote].every((one) => one !== undefined && one.source !== 'predicted');

/** What the choice of one variant is worth, and what it was learned from; null: it was not asked for, or there is none. */
export function oneText(rows: readonly BestRow[]): string | null {
  const [row] = rows.filter(({ best }) => best?.one);
  const one = row?.best?.one;
  if (!row?.best || !one) return null;
  const { cards, mean, shares, timed, vendors, worst } = one;
  const part = (share: number) => `${Math.round(100 * share)}%`;
  const at = least(rows, ({ best }) => best?.one?.share ?? 1);
  const where =
    at?.best?.one?.share === worst ? ` (${shapeText(at.problem)} on ${at.gpu?.name})` : '';
  const from = `${cards.length} ${cards.length === 1 ? 'card' : 'cards'} of ${vendors.join(', ')}`;
  return `One variant, ${row.best.address}: ${part(mean)} of each card's best on average, ${part(worst)} at worst${where}. Learned from ${from} (${cards.join(', ')}); ${timed} of ${shares} shares timed, ${shares - timed} predicted.`;
}
