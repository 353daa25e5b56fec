import { isOn, tunedFiles } from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import { type OpId, opOf, type Problem } from '@tilemark/kernels';
import type { BestPageQuery } from './query';

type Found = Pick<BestPageQuery, 'profile' | 'device' | 'vendor'> & { readonly problem: Problem };

/**
 * The question of a reader who has asked none: the problem that the board opens on, for the
 * fastest GPU ranked there; without one, what ships for a GPU; then the fastest of any device.
 * Null: nothing is known of the op.
 */
export async function usualQuestion(
  store: Store,
  op: OpId,
  devices: readonly { readonly key: string }[],
): Promise<BestPageQuery | null> {
  const found = await evidenceOf(store, op, devices);
  if (!found) return null;
  const { problem, ...rest } = found;
  return { op, dtype: problem.dtype, ...rest, ...problem.shape };
}

async function evidenceOf(
  store: Store,
  op: OpId,
  devices: readonly { readonly key: string }[],
): Promise<Found | null> {
  const profile = 'default';
  const { problem, rows } = await store.leaderboard({ op, dtype: 'f32', profile });
  const ranked = rows.filter(({ rank }) => rank !== null);
  const asked = (row: (typeof rows)[number] | undefined): Found | null =>
    row && problem ? { problem, profile, device: row.device.key } : null;
  return (
    asked(ranked.find(({ device }) => device.class === 'gpu')) ??
    shippedOf(op, devices) ??
    asked(ranked[0])
  );
}

/** The largest f32 problem that ships for a GPU, under `default` if there is one. */
function shippedOf(op: OpId, devices: readonly { readonly key: string }[]): Found | null {
  const known = tunedFiles()
    .filter(({ device }) => device.class === 'gpu')
    .flatMap(({ device: { vendor }, device, variants }) => {
      const attached = devices.find(({ key }) => isOn(device, { key }));
      return variants
        .filter(({ problem }) => problem.op === op && problem.dtype === 'f32')
        .map(({ problem, profile }) => ({
          problem,
          profile,
          ...(attached ? { device: attached.key } : { vendor }),
        }));
    });
  const bytes = ({ problem }: Found) => opOf(problem).bytes(problem.shape, problem.dtype);
  const [first = null] = known.toSorted(
    (a, b) =>
      Number(b.profile === 'default') - Number(a.profile === 'default') || bytes(b) - bytes(a),
  );
  return first;
}
