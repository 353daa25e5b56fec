import { Prisma, type PrismaClient } from '@tilemark/db';
import { type Dtype, kernelById, parseShape, rateOf, shapeText } from '@tilemark/kernels';
import { greatest, group } from 'd3-array';
import type { KernelResultRow, KernelResults } from '../../../api/kernel';
import type { Profile } from '../../../measure/device';
import { headlines } from './headlines';
import {
  type CountedProblem,
  type Counts,
  countedProblems,
  problemToOpen,
  whereProblem,
} from './problems';

/** Rows of a page: a kernel on more devices than this is read problem by problem anyway. */
const MAX_ROWS = 500;

interface KernelResultsQuery {
  readonly kernel: string;
  readonly dtype?: Dtype | undefined;
  readonly shape?: string | undefined;
  readonly profile?: Profile | undefined;
}

/**
 * A kernel on one problem, device by device; what is not asked for is chosen as the board chooses
 * its problem (`problemToOpen`). Throws InputError at `shape`.
 */
export async function kernelResultsOf(
  db: PrismaClient,
  { kernel, dtype, profile, shape }: KernelResultsQuery,
): Promise<KernelResults> {
  const { op } = kernelById(kernel);
  const asked = shape === undefined ? null : shapeText({ op, shape: parseShape(op, shape) });
  const problems = await countedProblems(db, Prisma.sql`v."kernel" = ${kernel}`);
  const chosen = kindToOpen(
    problems.filter(
      (row) =>
        (dtype === undefined || row.dtype === dtype) &&
        (profile === undefined || row.profile === profile) &&
        (asked === null || row.shape === asked),
    ),
  );
  return {
    problems: problems.map(({ devices, problem, profile }) => ({ problem, profile, devices })),
    chosen: chosen ? { problem: chosen.problem, profile: chosen.profile } : null,
    rows: chosen ? await rowsOf(db, kernel, chosen) : [],
  };
}

/**
 * The dtype and profile that say most of a kernel: ranked before unranked, of GPUs before others, f32 before
 * other dtypes, `default` before `fast`; of their problems the board's choice.
 */
function kindToOpen(all: readonly CountedProblem[]): CountedProblem | undefined {
  const kinds = [...group(all, (row) => `${row.dtype} ${row.profile}`).values()].map((alike) => {
    const [first] = alike;
    const some = (count: keyof Counts) => Number(alike.some((row) => row[count] > 0));
    const usual = [Number(first?.dtype === 'f32'), Number(first?.profile === 'default')];
    const weight = [some('rankedGpus'), some('rankedDevices'), some('gpus'), ...usual];
    return { alike, weight: weight.join('') };
  });
  const most = greatest(kinds, ({ weight }) => weight)?.alike ?? [];
  const ranked = most.filter(({ rankedDevices }) => rankedDevices > 0);
  const problem = problemToOpen(ranked.length > 0 ? ranked : most);
  return most.find((row) => row.problem === problem);
}

/**
 * The kernel's variant to prefer on each device, beside the best there: a result that does not count
 * is held against a best that counts neither, or against none.
 */
async function rowsOf(
  db: PrismaClient,
  kernel: string,
  chosen: CountedProblem,
): Promise<KernelResultRow[]> {
  const where = whereProblem(chosen.problem, chosen);
  const [rows, bests] = await Promise.all([
    headlines(db, { ...where, kernel }, { per: ['deviceKey'] }),
    headlines(db, { ...where, isBest: true }),
  ]);
  const bestOn = new Map(bests.map((best) => [best.deviceKey, best]));
  return rows
    .toSorted((a, b) => a.medianNs - b.medianNs)
    .slice(0, MAX_ROWS)
    .map(({ address, device, deviceKey, highNs, imported, lowNs, medianNs, ...row }) => {
      const { resultId, unranked } = row;
      const best = bestOn.get(deviceKey);
      const isComparable = unranked === null || best?.unranked !== null;
      return {
        ...{ resultId, address, medianNs, lowNs, highNs, unranked, device, imported },
        rate: rateOf(chosen.problem, medianNs),
        partOfBest: best && isComparable ? best.medianNs / medianNs : null,
      };
    });
}
