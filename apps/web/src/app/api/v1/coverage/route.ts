import { operations } from '@/server/operations';
import { serve } from '@/server/serve';

export const GET = serve(operations.getCoverage, ({ services }) => services.sweeps.coverage());
