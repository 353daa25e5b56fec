import { heatMapCsv } from '@tilemark/core';
import { csvFile } from '@/server/download';
import { operations } from '@/server/operations';
import { serve } from '@/server/serve';

export const GET = serve(
  operations.getHeatMap,
  async ({ query: { format, ...query }, services: { store } }) => {
    const answer = await store.heatMap(query);
    return format === 'csv' ? csvFile(heatMapCsv(answer), 'tilemark-heat-map.csv') : answer;
  },
);
