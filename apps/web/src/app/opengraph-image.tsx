import { shortDeviceName } from '@/features/devices/device-name';
import { FEW_GPUS } from '@/features/leaderboard/view';
import { pictureRows } from '@/features/overview/picture-rows';
import { CARD, card } from '@/features/results/card';
import { ELSEWHERE } from '@/features/results/card-bars';
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
  const bars = pictureRows(bests, figures)
    .flatMap(({ href, kernel, libraries, name, rate, shape }) =>
      [
        { name: kernel, rate, isSubject: true, note: href === null ? ELSEWHERE : undefined },
        ...libraries.map((library) => ({ ...library, isSubject: false, note: ELSEWHERE })),
      ].map((each) => ({
        ...each,
        label: `${shortDeviceName(name)} at ${sizeOf(shape)}: ${each.name}`,
      })),
    )
    // What was measured here is shown in any case.
    .toSorted((a, b) => Number(a.note !== undefined) - Number(b.note !== undefined));
  return card(
    'Which WGSL matrix multiply is fastest?',
    bars.length > 0 ? 'The fastest f32 product on each device, beside libraries' : '',
    bars,
    'GFLOP/s',
  );
}

/** `4096` for `4096 × 4096 × 4096`: there is little room beside a name. */
function sizeOf(sides: string): string {
  const [first = sides, ...others] = sides.split(' × ');
  return others.every((side) => side === first) ? first : sides;
}
