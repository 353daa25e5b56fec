import { operations } from '@/server/operations';
import { serve } from '@/server/serve';

export const POST = serve(operations.enrollWorker, ({ services: { settings } }) => ({
  databaseUrl: settings.databaseUrl,
  redisUrl: settings.redisUrl,
}));
