import { DTYPES, EPILOGUES, idsOf, OPS } from '@tilemark/kernels';
import { z } from 'zod';

export const opSchema = z.enum(idsOf(OPS));
export const dtypeSchema = z.enum(idsOf(DTYPES));
export const epilogueSchema = z.enum(idsOf(EPILOGUES));
