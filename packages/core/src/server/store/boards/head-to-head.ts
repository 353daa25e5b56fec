import type { PrismaClient } from '@tilemark/db';
import { kernelOf, parseProblem, volume } from '@tilemark/kernels';
import { group } from 'd3-array';
import type { HeadToHead, Pair, PairSide } from '../../../rank/head-to-head';
import { FEWEST_OF_INTERVAL } from '../../../statistics/interval-name';
import type { VariantBest } from '../columns';
import { byKind } from '../run-view';
import { type Headline, headlines } from './headlines';

const MAX_PAIRS = 500;

/** Two devices by their best variants, or two variants, wherever both were measured. */
export async function headToHeadOf(db: PrismaClient, { a, b, kind }: Pair): Promise<HeadToHead[]> {
  const isDevices = kind === 'devices';
  const rows = await headlines(
    db,
    isDevices
      ? { isBest: true, deviceKey: [a, b] }
      : // With the kernels, so that their index is used.
        { address: [a, b], kernel: [a, b].map(kernelOf) },
  );
  const ranges = await rangesOf(db, rows);
  const sideOf = (row: Headline) => (isDevices ? row.deviceKey : row.address);
  const side = (row: Headline): PairSide => ({
    resultId: row.resultId,
    address: row.address,
    medianNs: row.medianNs,
    lowNs: row.lowNs,
    highNs: row.highNs,
    invocations: row.invocations,
    unranked: row.unranked,
    isRange: ranges.has(row.resultId),
  });
  const place = ({ deviceKey, dtype, op, profile, shape }: Headline) =>
    [op, dtype, profile, shape, isDevices ? '' : deviceKey].join(' ');
  // Of two methodologies the newer one that both have.
  const newest = rows.toSorted((x, y) => y.methodology - x.methodology);
  return [...group(newest, place).values()]
    .flatMap((alike) => {
      const others = alike.filter((row) => sideOf(row) === b);
      const isAlso = (row: Headline) =>
        others.find(({ methodology }) => methodology === row.methodology);
      const one = alike.find((row) => sideOf(row) === a && isAlso(row));
      const other = one && isAlso(one);
      if (!one || !other) return [];
      const device = isDevices ? null : one.device;
      return {
        problem: parseProblem(one),
        profile: one.profile,
        device,
        a: side(one),
        b: side(other),
      };
    })
    .toSorted(
      (x, y) =>
        byKind(x, y) ||
        (x.device?.name ?? '').localeCompare(y.device?.name ?? '') ||
        volume(x.problem) - volume(y.problem),
    )
    .slice(0, MAX_PAIRS);
}

/** The results of single invocations whose samples are too few for an interval. */
export async function rangesOf(
  db: PrismaClient,
  rows: readonly Pick<VariantBest, 'invocations' | 'resultId'>[],
): Promise<ReadonlySet<string>> {
  const ids = rows.flatMap(({ invocations, resultId }) => (invocations === 1 ? [resultId] : []));
  const found = await db.$queryRaw<{ id: string }[]>`
    SELECT "id" FROM "Result" WHERE "id" = ANY(${ids}) AND coalesce(
      ("outcome" -> 'measurement' -> 'cold' -> 'independent')::float8, cardinality("coldSamplesNs")
    ) < ${FEWEST_OF_INTERVAL}`;
  return new Set(found.map(({ id }) => id));
}
