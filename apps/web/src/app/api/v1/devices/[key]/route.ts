import { operations } from '@/server/operations';
import { found, serve } from '@/server/serve';

export const GET = serve(
  operations.getDevice,
  async ({ params: { key = '' }, services: { store } }) => {
    const device = found(await store.devices.get(key), `There is no device ${key}.`);
    const [best, rooflines] = await Promise.all([
      store.devices.best(key),
      store.rooflines.latest(key),
    ]);
    return { ...device, best, rooflines };
  },
);
