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

/** A problem on a GPU that is asked about, and what can run there. */
interface Place extends AskedGpu {
  readonly problem: Problem;
  readonly able: (point: Point) => boolean;
}

/** The problem of a place on a card that was timed, with the times of all candidates, the least first. */
interface Cell {
  readonly place: Place;
  readonly learned: Learned;
  readonly quotes: readonly Prediction[];
  readonly of: ReadonlyMap<string, Prediction>;
}

/** The variant for all problems and GPUs, in a row for each. `inTurn` runs each piece of work. */
export async function oneFor(
  problems: readonly Problem[],
  profile: Profile,
  asked: readonly AskedGpu[],
  inTurn: <T>(work: () => T) => Promise<T> = async (work) => work(),
): Promise<BestRow[]> {
  const isUnknown = asked.every(({ evidence }) => timesOf(evidence).length === 0);
  const places = problems.flatMap((problem) => asked.map((one) => placeOf(problem, profile, one)));
  const able = (point: Point) =>
    places.every((at) => at.able(point) && workOf(point, at.problem).waves === null);
  const cards = places.flatMap((place) => {
    const { evidence, problem } = place;
    return isUnknown
      ? surveysOf(problem, profile, evidence.engine, able).map((card) => ({ ...card, place }))
      : timesOf(evidence).map((learned) => ({ learned, problem, place }));
  });
  const candidates = new Map<string, Point>();
  for (const { learned, place, problem } of cards) {
    const quotes = await inTurn(() => quotesOf(learned, problem, place.able));
    for (const point of quotes.filter(able).slice(0, MOST)) candidates.set(point.address, point);
  }
  const cells = await Promise.all(
    cards.map(async ({ learned, place, problem }): Promise<Cell> => {
      const more = [...candidates.values()];
      const quotes = await inTurn(() => quotesOf(learned, problem, place.able, more));
      return { place, learned, quotes, of: new Map(quotes.map((one) => [one.address, one])) };
    }),
  );
  const chosen = choiceOf(cells, [...candidates.keys()]);
  if (!chosen) {
    const excluded = [{ reason: NONE, variants: Math.max(candidates.size, 1) }];
    return places.map(({ gpu, problem }) => ({ gpu, problem, best: null, excluded }));
  }
  return places.map((place) => {
    const here = isUnknown ? [] : cells.filter((one) => one.place === place);
    return rowOf(place, profile, chosen, here);
  });
}

/** The fastest of each cell are weighed for all: it bounds the work. */
const MOST = 32;

function placeOf(problem: Problem, profile: Profile, asked: AskedGpu): Place {
  const { evidence } = asked;
  const isKnown = timesOf(evidence).length > 0;
  const limits = isKnown ? evidence.limits : plainLimits(problem.dtype, evidence.limits);
  return { ...asked, problem, able: runnable(problem, profile, { ...evidence, limits }).able };
}

type Choice = { readonly address: string } & Omit<
  NonNullable<BestVariant['one']>,
  'share' | 'isTimed'
>;

/** The candidate with the largest least share, and what it is worth over all cells; null: none runs in all. */
function choiceOf(cells: readonly Cell[], candidates: readonly string[]): Choice | null {
  const sharesOf = (address: string) =>
    cells.map(({ of, quotes }) => shareOf(quotes, of.get(address)));
  const address = least(candidates, (one) => {
    const shares = sharesOf(one);
    // The mean decides among those that are alike at worst.
    return -Math.min(...shares) - 1e-6 * (geometricMean(shares) ?? 0);
  });
  const worst = address === undefined ? 0 : Math.min(...sharesOf(address));
  if (address === undefined || worst === 0) return null;
  const cards = [...new Map(cells.map(({ learned }) => [learned.device, learned])).values()];
  return {
    address,
    mean: geometricMean(sharesOf(address)) ?? worst,
    worst,
    timed: cells.filter(({ of, quotes }) => isTimed(quotes, of.get(address))).length,
    shares: cells.length,
    cards: cards.map(({ device }) => device),
    vendors: [...new Set(cards.map(({ vendor }) => vendor))],
  };
}

/** The row of a place: what its worst cell says of the choice. */
function rowOf(
  { evidence, gpu, problem }: Place,
  profile: Profile,
  { address: chosen, ...ofAll }: Choice,
  here: readonly Cell[],
): BestRow {
  const { basis, engine } = evidence;
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
