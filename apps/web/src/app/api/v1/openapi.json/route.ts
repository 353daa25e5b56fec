import { openApi } from '@/server/openapi';
import { operations } from '@/server/operations';
import { serve } from '@/server/serve';

export const GET = serve(operations.describe, ({ services: { settings } }) =>
  openApi(settings.version),
);
