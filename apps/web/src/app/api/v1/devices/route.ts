import { operations } from '@/server/operations';
import { serve } from '@/server/serve';

export const GET = serve(operations.listDevices, ({ query, services: { store } }) =>
  store.devices.list(query.cursor),
);
