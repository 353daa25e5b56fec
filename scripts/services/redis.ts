import { access, constants, readFile, readlink, realpath, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { searchPath } from '../environment';
import { StartProblem } from '../start/terminal';
import { holdsWithin } from '../until';
import { ensurePassword, ensureWritable } from './folder';
import { keptPort } from './port';
import {
  commandLine,
  type Daemon,
  isRunning,
  logTail,
  type PrivateService,
  type ServiceOptions,
  startDaemon,
} from './process';

const PROGRAMS = ['redis-server', 'valkey-server'];
const START_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 20_000;

/**
 * Starts a private Redis on loopback, with a password and an append-only file, so that queued runs
 * survive a restart. Null if neither Redis nor Valkey is installed. A server that outlived its grid
 * (kill -9) is stopped first.
 *
 * @throws StartProblem with what to do, for example when the folder is not writable
 */
export async function startRedis(options: ServiceOptions): Promise<PrivateService | null> {
  const program = await findProgram();
  if (!program) return null;
  const { dataDir } = options;
  await ensureWritable(dataDir);
  const pidFile = join(dataDir, 'redis.pid');
  const configFile = join(dataDir, 'redis.conf');
  const logFile = join(dataDir, 'server.log');
  await stopLeftover(pidFile, configFile);

  const port = options.port ?? (await keptPort(join(dataDir, 'port')));
  const password = await ensurePassword(dataDir);
  // In a file, because command lines are visible to everyone on the machine.
  await writeFile(configFile, config({ dataDir, port, password }), { mode: 0o600 });
  const server = startDaemon(program, [configFile], logFile);
  await writeFile(pidFile, `${server.child.pid}\n${port}\n`);
  await waitUntilReady(server, { port, password }, logFile);
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    port,
    exited: server.exited,
    stop: async () => {
      server.child.kill('SIGTERM');
      await server.exited;
      await rm(pidFile, { force: true });
    },
  };
}

interface Address {
  readonly port: number;
  readonly password: string;
}

const config = ({ dataDir, port, password }: Address & { dataDir: string }): string =>
  [
    `dir ${JSON.stringify(dataDir)}`,
    `port ${port}`,
    'bind 127.0.0.1',
    `requirepass ${password}`,
    'appendonly yes',
    'appendfsync everysec',
    'save ""',
    // BullMQ loses jobs under any other policy.
    'maxmemory-policy noeviction',
    '',
  ].join('\n');

async function findProgram(): Promise<string | null> {
  for (const folder of searchPath().split(delimiter)) {
    for (const program of PROGRAMS) {
      const path = join(folder, program);
      const runs = await access(path, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (folder && runs) return path;
    }
  }
  return null;
}

async function stopLeftover(pidFile: string, configFile: string): Promise<void> {
  const [pid = 0, port = 0] = (await readFile(pidFile, 'utf8').catch(() => ''))
    .split('\n')
    .map(Number);
  // Once up, Redis rewrites its command line to end in its address.
  const isOurs = (line: string | null) =>
    line !== null &&
    (line.includes(configFile) || /redis-server|valkey-server/.test(line)) &&
    (line.includes(configFile) || line.includes(`:${port}`));
  if (!(pid > 0) || !isOurs(await commandLine(pid))) return;
  // It works in its data folder. In a copy of the folder of a running grid, the file names that grid's.
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => null);
  if (folder !== null && folder !== (await realpath(dirname(pidFile)))) return;
  process.kill(pid, 'SIGTERM');
  const isGone = async () => !isOurs(await commandLine(pid));
  if (await holdsWithin(STOP_WITHIN_MS, isGone)) return;
  process.kill(pid, 'SIGKILL');
  await holdsWithin(STOP_WITHIN_MS, isGone);
}

/** Waits until the server has loaded its data and answers `PING`. */
async function waitUntilReady(server: Daemon, address: Address, logFile: string): Promise<void> {
  let isUp = false;
  const isSettled = async () => {
    isUp = await answersPing(address);
    return isUp || !isRunning(server);
  };
  await holdsWithin(START_WITHIN_MS, isSettled, 25);
  if (isUp) return;
  server.child.kill('SIGKILL');
  throw new StartProblem(`Redis did not start:\n${await logTail(logFile)}\nLog: ${logFile}`);
}

function answersPing({ port, password }: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.write(`AUTH ${password}\r\nPING\r\n`);
    });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(1_000, () => settle(false));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
      // `+OK` to the password, then `+PONG`, or an error while data is loading.
      if (answer.split('\r\n').length > 2) settle(answer.includes('+PONG'));
    });
    socket.once('error', () => settle(false));
  });
}
