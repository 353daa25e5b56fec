import { z } from 'zod';
import { Site } from './site';

const enrolmentSchema = z.object({ databaseUrl: z.string(), redisUrl: z.string().nullable() });

/** Where a worker finds the grid's services; `redisUrl` null: the queue is kept in Postgres. */
export type Enrolment = z.infer<typeof enrolmentSchema>;

/** Asks a grid's site what to connect to, with a worker or an admin token. Throws as `Site` does. */
export async function enroll(server: string, token: string): Promise<Enrolment> {
  return new Site({ server, token }).post('workers/enroll', enrolmentSchema);
}
