import type { PrismaClient } from '@tilemark/db';
import {
  type Dtype,
  kernelById,
  type OpId,
  type Problem,
  parseShape,
  shapeText,
} from '@tilemark/kernels';
import type { DeviceClass, Profile } from '../../device';
import type { KernelResultRow, KernelResults } from '../../kernel-results';
import type { Store } from '../store';
import { problemOf, rateOf } from './run-view';

/** Rows of a page: a kernel on more devices than this is read problem by problem anyway. */
const MAX_ROWS = 500;

/** The contract is at `Store.kernelResults`. */
export async function kernelResultsOf(
  db: PrismaClient,
  { kernel, dtype, profile, shape }: Parameters<Store['kernelResults']>[0],
): Promise<KernelResults> {
  const { op } = kernelById(kernel);
  const asked =
    shape === undefined ? null : shapeText({ op, shape: parseShape(op, shape) } as Problem);
  const groups = await db.$queryRaw<Group[]>`
    SELECT ${op} AS "op", "dtype"::text, "shape", "profile"::text,
      count(DISTINCT "deviceKey")::int AS "devices"
    FROM "VariantBest" WHERE "kernel" = ${kernel}
    GROUP BY "dtype", "profile", "shape"`;
  const problems = groups
    .map((group) => ({
      problem: problemOf(group),
      profile: group.profile,
      devices: group.devices,
      group,
    }))
    .sort((a, b) => b.devices - a.devices || volume(b.group) - volume(a.group));
  const chosen = problems.find(
    ({ group }) =>
      (dtype === undefined || group.dtype === dtype) &&
      (profile === undefined || group.profile === profile) &&
      (asked === null || group.shape === asked),
  );
  return {
    problems: problems.map(({ devices, problem, profile: of }) => ({
      problem,
      profile: of,
      devices,
    })),
    chosen: chosen ? { problem: chosen.problem, profile: chosen.profile } : null,
    rows: chosen ? await rowsOf(db, kernel, chosen.group) : [],
  };
}

interface Group {
  readonly op: OpId;
  readonly dtype: Dtype;
  readonly shape: string;
  readonly profile: Profile;
  readonly devices: number;
}

const volume = ({ op, shape }: Group): number =>
  Object.values(parseShape(op, shape)).reduce<number>((product, size) => product * size, 1);

interface Row {
  readonly deviceKey: string;
  readonly name: string;
  readonly class: DeviceClass;
  readonly resultId: string;
  readonly address: string;
  readonly medianNs: number;
  readonly lowNs: number;
  readonly highNs: number;
  readonly unranked: string | null;
  readonly bestNs: number | null;
  readonly bestUnranked: string | null;
}

/** A result that does not count is held against a best that counts neither, or against none. */
const isComparable = ({ unranked }: Pick<Row, 'unranked'>, bestUnranked: string | null): boolean =>
  unranked === null || bestUnranked !== null;

/** The kernel's fastest variant of each device, by the preference of `Best`. */
async function rowsOf(db: PrismaClient, kernel: string, group: Group): Promise<KernelResultRow[]> {
  const { dtype, op, profile, shape } = group;
  const rows = await db.$queryRaw<Row[]>`
    SELECT own.*, device."name", device."class"::text, result."lowNs", result."highNs",
      best."medianNs" AS "bestNs", best."unranked" AS "bestUnranked"
    FROM (
      SELECT DISTINCT ON ("deviceKey") "deviceKey", "resultId", "address", "medianNs", "unranked"
      FROM "VariantBest"
      WHERE "kernel" = ${kernel} AND "dtype" = ${dtype}::"Dtype"
        AND "profile" = ${profile}::"Profile" AND "shape" = ${shape}
      ORDER BY "deviceKey", ("unranked" IS NOT NULL), "medianNs"
    ) AS own
    JOIN "Device" AS device ON device."key" = own."deviceKey"
    JOIN "Result" AS result ON result."id" = own."resultId"
    LEFT JOIN "Best" AS best ON best."deviceKey" = own."deviceKey" AND best."op" = ${op}::"Op"
      AND best."dtype" = ${dtype}::"Dtype" AND best."shape" = ${shape}
      AND best."profile" = ${profile}::"Profile"
    ORDER BY own."medianNs" LIMIT ${MAX_ROWS}`;
  const problem = problemOf(group);
  return rows.map(({ bestNs, bestUnranked, class: kind, deviceKey, name, ...row }) => ({
    ...row,
    device: { key: deviceKey, name, class: kind },
    rate: rateOf(problem, row.medianNs),
    partOfBest: bestNs !== null && isComparable(row, bestUnranked) ? bestNs / row.medianNs : null,
  }));
}
