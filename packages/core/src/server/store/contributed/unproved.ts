import type { PrismaClient } from '@tilemark/db';
import { shapeText, variantAddress } from '@tilemark/kernels';
import { batteryOf } from '../../../contributed/battery';
import { admitKernel } from '../../../contributed/kernel';
import { fileIn } from './row';

/** Why a version cannot be published: it is wrong, or its check is not over; null: it can. */
export async function unprovedOf(db: PrismaClient, id: string): Promise<string | null> {
  const row = await db.contributedKernel.findUnique({ where: { id } });
  if (!row) return null;
  const runs = await db.run.findMany({
    where: { kernel: id, state: { in: ['incorrect', 'measured', 'skipped'] } },
    select: { address: true, shape: true, dtype: true, state: true },
    distinct: ['address', 'shape', 'dtype', 'state'],
  });
  const wrong = runs.find(({ state }) => state === 'incorrect');
  if (wrong) return `it is wrong at ${wrong.shape} ${wrong.dtype}: submit a version that is right`;
  const ended = new Set(runs.map(({ address, dtype, shape }) => [address, shape, dtype].join(' ')));
  const battery = batteryOf(await admitKernel(fileIn(row)));
  const open = battery.filter(
    ([variant, problem]) =>
      !ended.has([variantAddress(variant), shapeText(problem), problem.dtype].join(' ')),
  );
  return open.length === 0
    ? null
    : `${open.length} of the ${battery.length} runs of its check have not passed yet: submitting a kernel queues them`;
}
