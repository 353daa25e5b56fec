import type { PrismaClient } from '@tilemark/db';
import { type Problem, parseProblem } from '@tilemark/kernels';
import { group } from 'd3-array';
import type { DeviceRef } from '../../../api/device';
import { type Profile, runtimePlace } from '../../../measure/device';
import { type Headline, headlines, PROBLEM } from './headlines';
import { timeOf } from './leaderboard';

/** One card, one kernel, one problem: its fastest variant under each runtime. */
export interface EnginesRow {
  readonly hardware: string;
  readonly name: string;
  readonly kernel: string;
  readonly problem: Problem;
  readonly profile: Profile;
  /** In the order of RUNTIMES, at least two. */
  readonly times: readonly (ReturnType<typeof timeOf> & {
    readonly device: DeviceRef;
    /** Its time over that of the first; null for the first. */
    readonly ratio: number | null;
    readonly unranked: string | null;
  })[];
}

/**
 * The times of kernels on the same hardware under several runtimes, which no board ranks together: of a card,
 * or of a kernel on one problem.
 */
export async function enginesOf(
  db: PrismaClient,
  of: { readonly hardware: string } | Pick<Headline, 'kernel' | (typeof PROBLEM)[number]>,
): Promise<EnginesRow[]> {
  const known = await db.device.findMany({
    where: 'hardware' in of ? of : { engine: { not: null } },
    select: { key: true, hardware: true },
  });
  const alike = [...group(known, ({ hardware }) => hardware).values()].filter(
    ({ length }) => length > 1,
  );
  const hardwareOf = new Map(alike.flat().map(({ key, hardware }) => [key, hardware]));
  if (hardwareOf.size === 0) return [];
  const { hardware: _, ...where } = { hardware: '', ...of };
  const rows = await headlines(
    db,
    { ...where, deviceKey: [...hardwareOf.keys()], contributed: false },
    { per: ['deviceKey', 'kernel', ...PROBLEM] },
  );
  const placeOf = ({ deviceKey, kernel, op, dtype, shape, profile }: Headline) =>
    [hardwareOf.get(deviceKey), kernel, op, dtype, shape, profile].join(' ');
  return [...group(rows, placeOf).values()].flatMap((some) => {
    const times = some.toSorted(
      (a, b) => runtimePlace(a.device.runtime) - runtimePlace(b.device.runtime),
    );
    const [first, second] = times;
    if (!first || !second) return [];
    return {
      ...{ hardware: hardwareOf.get(first.deviceKey) ?? '', name: first.device.name },
      ...{ kernel: first.kernel, problem: parseProblem(first), profile: first.profile },
      times: times.map((time) => ({
        ...timeOf(time),
        ...{ device: time.device, unranked: time.unranked },
        ratio: time === first ? null : time.medianNs / first.medianNs,
      })),
    };
  });
}
