import { FEW_GPUS } from '@/features/leaderboard/view';
import { overviewGroups } from '@/features/overview/overview-groups';
import { pictureRows } from '@/features/overview/picture-rows';
import { CARD, card } from '@/features/results/card';
import { readable } from '@/server/session/visitor';

export const dynamic = 'force-dynamic';
export const size = CARD;
export const contentType = 'image/png';
export const alt = 'The fastest f32 matrix product on each device';

/** The picture of the first screen. */
export default async function Image() {
  const { store } = await readable();
  const { bests, gpus } = await store.overview();
  const figures =
    gpus < FEW_GPUS ? await store.references.list({ op: 'matmul', dtype: 'f32' }) : [];
  const groups = overviewGroups(pictureRows(bests, figures));
  return card({
    title: 'Which WGSL matrix multiply is fastest?',
    about:
      groups.length > 0
        ? 'GFLOP/s in f32; a full bar is the peak of the device itself: lengths compare within a device only'
        : '',
    groups,
    unit: '',
  });
}
