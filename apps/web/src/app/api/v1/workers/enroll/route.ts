import { enrolment } from '@/server/enrolment';
import { operations } from '@/server/operations';
import { serve } from '@/server/serve';

export const POST = serve(operations.enrollWorker, ({ services }) => enrolment(services));
