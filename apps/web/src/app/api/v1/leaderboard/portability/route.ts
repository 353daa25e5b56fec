import { portabilityCsv } from '@tilemark/core';
import { csvFile } from '@/server/download';
import { operations } from '@/server/operations';
import { serve } from '@/server/serve';

export const GET = serve(
  operations.getPortability,
  async ({ query: { format, ...query }, services: { store } }) => {
    const answer = await store.portability(query);
    return format === 'csv' ? csvFile(portabilityCsv(answer), 'tilemark-portability.csv') : answer;
  },
);
