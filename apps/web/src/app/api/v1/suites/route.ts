import { operations } from '@/server/operations';
import { suiteInfos } from '@/server/registry';
import { serve } from '@/server/serve';

export const GET = serve(operations.listSuites, () => ({ items: suiteInfos(), nextCursor: null }));
