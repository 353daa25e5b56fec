import type { Prisma } from '@tilemark/db';
import { moveVariants, type VariantKey } from '../boards/move';
import { runOf } from '../columns';
import { keepStated } from '../roofs/keep-stated';
import type { Judged } from './write';

/** Moves the rows of the boards that trusted results rest on, and the roofs that they raise. */
export async function headlines(
  tx: Prisma.TransactionClient,
  results: readonly Judged[],
  trusted: ReadonlyMap<string, boolean>,
): Promise<void> {
  const deciding = results.filter(({ facts }) => trusted.get(facts.id));
  await moveVariants(tx, deciding.flatMap(variantOf));
  await keepStated(tx, results.flatMap(statedBy));
}

function variantOf({ facts, outcome }: Judged): VariantKey[] {
  if (outcome.kind !== 'measured') return [];
  const { address, deviceKey, dtype, kernel, op, profile, shape } = facts;
  const { methodologyVersion: methodology } = outcome.measurement;
  return [{ address, deviceKey, dtype, kernel, op, profile, shape, methodology }];
}

/** The rate that a result states of its device, where that may raise the roof. */
function statedBy({ facts, outcome, record }: Judged) {
  const stated = record.outcome.kind === 'measured' ? record.outcome.measurement.roof : null;
  if (outcome.kind !== 'measured' || !stated) return [];
  const { measurement } = outcome;
  // Otherwise its worker probed again, or saw the device do more.
  if (facts.roof !== null && measurement.roof && stated.ns > measurement.roof.ns) return [];
  const { deviceKey, id: runId } = facts;
  return [{ ...runOf(facts), deviceKey, runId, measurement: { ...measurement, roof: stated } }];
}
