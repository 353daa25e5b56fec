import type { PrismaClient } from '@tilemark/db';
import { isKnownProblem, parseProblem } from '@tilemark/kernels';
import { group } from 'd3-array';
import type { Page } from '../../../api/answer';
import { type Change, softwareOf } from '../../../api/change';
import type { DeviceRef } from '../../../api/device';
import type { Environment } from '../../../measure/device';
import { changesIn, type Change as Shown, type Visited } from '../../../rank/changes';
import type { Interval } from '../../../rank/headline';
import { deviceRefOf } from '../columns';
import { PAGE_SIZE, pageOf } from '../database';
import type { VariantColumns } from './move';

interface Row extends VariantColumns, Interval, Pick<Environment, 'driver' | 'runtimeVersions'> {
  readonly resultId: string;
  readonly recordedAt: Date;
  readonly state: 'measured' | 'incorrect';
  readonly invocation: string;
  readonly workerId: string;
  readonly sourceHash: string | null;
  readonly device: DeviceRef;
}

/** The sentinel's results that decide, oldest first. */
const rowsOf = (db: PrismaClient, deviceKey: string | null): Promise<Row[]> =>
  db.$queryRaw<Row[]>`
    SELECT result."id" AS "resultId", result."recordedAt", r."state"::text,
      coalesce(result."outcome"->>'invocation', result."outcome"->'measurement'->>'invocation',
        result."workerId") AS "invocation",
      result."workerId", result."sourceHash", result."medianNs", result."lowNs", result."highNs",
      r."deviceKey", ${deviceRefOf('device')}, r."op", r."dtype", r."shape", r."kernel",
      r."tunables", r."address", r."profile"::text,
      environment."content"->>'driver' AS "driver",
      environment."content"->'runtimeVersions' AS "runtimeVersions"
    FROM "Run" AS r JOIN "Sweep" AS s ON s."id" = r."sweepId"
    JOIN "Device" AS device ON device."key" = r."deviceKey"
    JOIN "Result" AS result ON result."runId" = r."id" AND result."importedBy" IS NULL
    JOIN "Environment" AS environment ON environment."hash" = result."environmentHash"
    WHERE s."sentinel" AND (${deviceKey}::text IS NULL OR r."deviceKey" = ${deviceKey})
      AND (r."state" = 'incorrect' OR (r."state" = 'measured' AND result."unranked" IS NULL))
      AND result."trusted"
    ORDER BY result."id"`;

/** Machines of one model and sources of one kernel have histories of their own. */
const historyOf = ({ address, dtype, op, profile, shape, sourceHash, workerId }: Row): string =>
  [workerId, sourceHash, op, dtype, shape, profile, address].join(' ');

/** Changes on a device, or on all, newest first, a page at a time. */
export async function changesOn(
  db: PrismaClient,
  {
    cursor,
    device,
  }: { readonly cursor?: string | undefined; readonly device?: string | undefined },
): Promise<Page<Change>> {
  const changes: Change[] = [];
  const rows = (await rowsOf(db, device ?? null)).filter(isKnownProblem);
  for (const onDevice of group(rows, ({ deviceKey }) => deviceKey).values()) {
    const histories = [...group(onDevice.map(visited), ({ row }) => historyOf(row)).values()];
    const deviceClass = onDevice[0]?.device.class ?? 'gpu';
    changes.push(...changesIn(histories, deviceClass).map(changeOf));
  }
  const older = changes
    .filter(({ id }) => cursor === undefined || id < cursor)
    .toSorted((a, b) => (a.id < b.id ? 1 : -1));
  return pageOf(older.slice(0, PAGE_SIZE + 1), ({ id }) => id);
}

type VisitedRow = Visited & { readonly row: Row };

function visited(row: Row): VisitedRow {
  const { driver, runtime } = softwareOf(row);
  const software = `${driver} ${runtime}`;
  const { invocation, state } = row;
  return { row, invocation, software, time: state === 'measured' ? row : null };
}

function changeOf({ after: { row }, before, contrast, kind }: Shown<VisitedRow>): Change {
  return {
    id: row.resultId,
    kind,
    at: row.recordedAt.toISOString(),
    device: row.device,
    address: row.address,
    problem: parseProblem(row),
    profile: row.profile,
    software: softwareOf(row),
    before: { resultId: before.row.resultId, software: softwareOf(before.row) },
    ratio: contrast && { value: contrast.ratio, low: contrast.low, high: contrast.high },
  };
}
