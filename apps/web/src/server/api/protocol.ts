import { PROTOCOL, PROTOCOL_HEADER } from '@tilemark/core';
import { HttpProblem } from '../problem';
import { originOf } from '../session/origin';

/** Throws 409 for a worker that this site would misunderstand, with what to update. */
export function checkProtocol(headers: Headers): void {
  const spoken = headers.get(PROTOCOL_HEADER);
  if (spoken === String(PROTOCOL)) return;
  throw new HttpProblem(409, mismatch(spoken, originOf(headers)), 'protocol');
}

function mismatch(spoken: string | null, origin: string): string {
  if (spoken !== null && Number(spoken) > PROTOCOL) {
    return `This grid speaks protocol ${PROTOCOL} with its workers, and this worker ${spoken.slice(0, 20)}: update the grid, or start the worker that it serves: ${command(origin)}`;
  }
  return `This worker is older than the grid, which speaks protocol ${PROTOCOL} with its workers. Start the worker that the grid serves: ${command(origin)}`;
}

/** npx keeps a package by its address and would run the old one again, so the address differs. */
const command = (origin: string): string =>
  `TILEMARK_TOKEN=... npx -y "${origin}/worker.tgz?protocol=${PROTOCOL}" --server ${origin}`;

/** The first request of workers from before the protocol. */
export const beforeProtocol = (headers: Headers): HttpProblem =>
  new HttpProblem(409, mismatch(null, originOf(headers)), 'version');
