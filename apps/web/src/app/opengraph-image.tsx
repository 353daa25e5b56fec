import { shapeText } from '@tilemark/kernels';
import { shortDeviceName } from '@/features/devices/device-name';
import { boardQuerySchema } from '@/features/leaderboard/query';
import { CARD, card } from '@/features/results/card';
import { readable } from '@/server/session/visitor';

export const dynamic = 'force-dynamic';
export const size = CARD;
export const contentType = 'image/png';
export const alt = 'The fastest devices of the leaderboard';

export default async function Image() {
  const { store } = await readable();
  const { op, dtype, profile } = boardQuerySchema.parse({});
  const { problem, rows } = await store.leaderboard({ op, dtype, profile });
  return card(
    'Which WGSL matrix multiply is fastest on your GPU?',
    problem ? `${problem.op} ${shapeText(problem)} ${problem.dtype}, ${profile}` : '',
    rows.map(({ address, device, rate }) => ({
      label: `${shortDeviceName(device.name)}: ${address.split('[')[0]}`,
      rate: rate.value,
    })),
    rows[0]?.rate.unit ?? '',
  );
}
