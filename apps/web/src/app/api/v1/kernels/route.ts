import { KERNELS } from '@tilemark/kernels';
import { operations } from '@/server/operations';
import { kernelInfo } from '@/server/registry';
import { serve } from '@/server/serve';

export const GET = serve(operations.listKernels, () => ({
  items: KERNELS.map(kernelInfo),
  nextCursor: null,
}));
