import { DTYPES, idsOf, OPS } from '@tilemark/kernels';
import { z } from 'zod';

export const opSchema = z.enum(idsOf(OPS));
export const dtypeSchema = z.enum(idsOf(DTYPES));
