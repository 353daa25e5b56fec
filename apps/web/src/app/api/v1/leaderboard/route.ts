import { leaderboardCsv } from '@tilemark/core';
import { csvFile } from '@/server/download';
import { operations } from '@/server/operations';
import { serve } from '@/server/serve';

export const GET = serve(
  operations.getLeaderboard,
  async ({ query: { format, ...query }, services: { store } }) => {
    const answer = await store.leaderboard(query);
    return format === 'csv' ? csvFile(leaderboardCsv(answer), 'tilemark-leaderboard.csv') : answer;
  },
);
