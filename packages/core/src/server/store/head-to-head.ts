import { Prisma, type PrismaClient } from '@tilemark/db';
import type { Dtype, OpId } from '@tilemark/kernels';
import type { DeviceClass, Profile } from '../../device';
import type { HeadToHead, Pair, PairSide } from '../../head-to-head';
import { problemOf } from './run-view';

/** Pairs of a page. */
const MAX_PAIRS = 500;

interface Row {
  readonly op: OpId;
  readonly dtype: Dtype;
  readonly shape: string;
  readonly profile: Profile;
  readonly deviceKey: string;
  readonly name: string;
  readonly class: DeviceClass;
  readonly a: PairSide;
  readonly b: PairSide;
}

/** The contract is at `Store.headToHead`. */
export async function headToHeadOf(db: PrismaClient, pair: Pair): Promise<HeadToHead[]> {
  const rows = await db.$queryRaw<Row[]>`
    SELECT one."op"::text, one."dtype"::text, one."shape", one."profile"::text,
      one."deviceKey", device."name", device."class"::text,
      ${sideOf('result_a', 'run_a')} AS "a", ${sideOf('result_b', 'run_b')} AS "b"
    FROM ${pair.of === 'devices' ? bestOfDevices(pair) : bestOfVariants(pair)}
    JOIN "Device" AS device ON device."key" = one."deviceKey"
    JOIN "Result" AS result_a ON result_a."id" = one."resultId"
    JOIN "Run" AS run_a ON run_a."id" = result_a."runId"
    JOIN "Result" AS result_b ON result_b."id" = other."resultId"
    JOIN "Run" AS run_b ON run_b."id" = result_b."runId"
    ORDER BY one."op", one."dtype", one."profile", device."name", length(one."shape"), one."shape"
    LIMIT ${MAX_PAIRS}`;
  return rows.map((row) => ({
    problem: problemOf(row),
    profile: row.profile,
    device: pair.of === 'devices' ? null : { key: row.deviceKey, name: row.name, class: row.class },
    a: row.a,
    b: row.b,
  }));
}

const bestOfDevices = ({ a, b }: Pair): Prisma.Sql => Prisma.sql`"Best" AS one
  JOIN "Best" AS other ON other."deviceKey" = ${b} AND other."op" = one."op"
    AND other."dtype" = one."dtype" AND other."shape" = one."shape"
    AND other."profile" = one."profile" AND one."deviceKey" = ${a}`;

/** The kernel of an address, so that its index is used. */
const kernelOf = (address: string): string => address.split('[')[0] ?? address;

const bestOfVariants = ({ a, b }: Pair): Prisma.Sql => Prisma.sql`"VariantBest" AS one
  JOIN "VariantBest" AS other ON other."deviceKey" = one."deviceKey"
    AND other."op" = one."op" AND other."dtype" = one."dtype" AND other."shape" = one."shape"
    AND other."profile" = one."profile" AND other."address" = ${b}
    AND one."kernel" = ${kernelOf(a)} AND one."address" = ${a}`;

const sideOf = (result: 'result_a' | 'result_b', run: 'run_a' | 'run_b'): Prisma.Sql => {
  const column = (name: string) => Prisma.raw(`${result}."${name}"`);
  const cold = (name: string) =>
    Prisma.raw(`(${result}."outcome"->'measurement'->'cold'->>'${name}')::float8`);
  return Prisma.sql`jsonb_build_object('resultId', ${column('id')},
    'address', ${Prisma.raw(`${run}."address"`)}, 'medianNs', ${column('medianNs')},
    'lowNs', ${column('lowNs')}, 'highNs', ${column('highNs')}, 'minNs', ${cold('minNs')},
    'q3Ns', ${cold('q3Ns')}, 'unranked', ${column('unranked')})`;
};
