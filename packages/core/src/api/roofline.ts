import { z } from 'zod';
import { profileSchema } from '../device';
import { rooflineSurveySchema } from '../roofline-survey';
import { date, id } from './field';

/** What a device can do at most under a profile, as a worker measured it. */
export const rooflineSchema = rooflineSurveySchema.extend({
  profile: profileSchema,
  measuredAt: date,
  worker: z.object({ id, name: z.string() }),
});
export type RooflineRecord = z.infer<typeof rooflineSchema>;
