import { KERNELS } from '@tilemark/kernels';
import { operations } from '@/server/operations';
import { HttpProblem } from '@/server/problem';
import { kernelDetail } from '@/server/registry';
import { serve } from '@/server/serve';

export const GET = serve(operations.getKernel, ({ params: { id = '' }, query }) => {
  if (!KERNELS.some((kernel) => kernel.id === id)) {
    throw new HttpProblem(404, `There is no kernel ${id}.`);
  }
  return kernelDetail(id, query);
});
