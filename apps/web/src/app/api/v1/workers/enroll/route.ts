import { enrol } from '@/server/enrolment';
import { operations } from '@/server/operations';
import { serve, signedIn } from '@/server/serve';

export const POST = serve(operations.enrollWorker, ({ body, note, principal, request, services }) =>
  enrol(services, body, signedIn(principal).tokenId, request, note),
);
