import { operations } from '@/server/operations';
import { serve } from '@/server/serve';

export const GET = serve(operations.getLeaderboard, ({ query, services: { store } }) =>
  store.leaderboard(query),
);
