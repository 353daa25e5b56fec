import { join } from 'node:path';
import { readAdminTokenSetting } from '@tilemark/core/server';
import { migrate } from '../../prisma';
import { bringVulkan } from '../bootstrap/bring';
import { ensureAdminToken, loginCode, readAdminToken } from './admin-token';
import { build } from './build';
import { claimDataFolder } from './data-folder';
import { contributedFlags } from './kernel-account';
import { isLoopback, type StartOptions, shownHost } from './options';
import { requireServices, startServices } from './services';
import { requireFreePort, SITE_FLAGS, waitForSite } from './site';
import { Supervisor } from './supervisor';
import { StartProblem, say, step } from './terminal';

/** Within this time, the parts of a killed grid end or are killed (leash.mjs). */
const PARTS_END_WITHIN_MS = 45_000;

export interface Grid {
  stop(): Promise<void>;
}

/**
 * Starts every part of the grid in order and prints a URL that logs in.
 *
 * @param signal stops it after the step in progress, a build at once; the result is then null
 */
export async function startGrid(
  options: StartOptions,
  root: string,
  signal: AbortSignal,
): Promise<Grid | null> {
  const { dataDir, host, port } = options;
  const chosenToken = readAdminTokenSetting();
  const url = `http://${shownHost(host)}:${port}`;
  const claim = await claimDataFolder(dataDir, url);
  const logDir = join(dataDir, 'logs');
  const supervisor = new Supervisor(logDir, say);
  const grid = {
    stop: async () => {
      await supervisor.stop();
      await claim.release();
    },
  };
  try {
    await requireFreePort(host, port, claim.isLeftBehind ? PARTS_END_WITHIN_MS : 0, signal);
    if (!isLoopback(host) && chosenToken === null && !(await readAdminToken(dataDir))) {
      throw new StartProblem(
        `Refusing to listen on ${host} without an admin token. Set TILEMARK_ADMIN_TOKEN, or start once without --host: that writes ${join(dataDir, 'admin-token')}; then start again.`,
      );
    }
    signal.throwIfAborted();
    const { databaseUrl, redisUrl } = await startServices(dataDir, supervisor);
    await requireServices(databaseUrl, redisUrl);
    signal.throwIfAborted();
    await step('Migrate the database', () => migrate(databaseUrl));
    const token = await ensureAdminToken(dataDir, databaseUrl, chosenToken);
    signal.throwIfAborted();
    await step('Build the site and the worker', () => build(root, signal));
    signal.throwIfAborted();
    const env = {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl ?? '',
      TILEMARK_DATA: dataDir,
      NEXT_TELEMETRY_DISABLED: '1',
    };

    await step('Start the site', async () => {
      await supervisor.run({
        name: 'web',
        script: join(root, 'apps', 'web', 'dist', 'serve.mjs'),
        args: [String(port), host],
        flags: SITE_FLAGS,
        env,
        cwd: join(root, 'apps', 'web'),
      });
      await waitForSite(url, join(logDir, 'web.log'), signal);
    });
    if (options.worker) await startWorkers(supervisor, env, root);
    signal.throwIfAborted();
    say('');
    // A token chosen by the deployment is known to its admins.
    const login =
      chosenToken === null ? `/login?code=${await loginCode(databaseUrl, token)}` : '/login';
    say(`Tilemark is up. Open  ${url}${login}`);
    say(`Data and logs: ${dataDir}   Stop: Ctrl-C`);
    return grid;
  } catch (error) {
    await grid.stop();
    // A signal of the terminal reaches the program of a step, too, which then fails.
    if (signal.aborted) return null;
    throw error;
  }
}

/** One worker for this machine's GPU and one for its CPU, the host baseline. */
async function startWorkers(
  supervisor: Supervisor,
  env: Readonly<Record<string, string>>,
  root: string,
): Promise<void> {
  const noGpu = await bringVulkan();
  if (noGpu) say(`${noGpu}\n  Until then this machine benchmarks its CPU only.`);
  const devices = noGpu ? ['cpu'] : ['0', 'cpu'];
  const programs = join(root, 'apps', 'worker', 'dist');
  const contributed = await contributedFlags(join(programs, 'child.mjs'));
  if (contributed.refusal) say(contributed.refusal);
  await step(`Start ${devices.length === 1 ? 'the worker' : 'the workers'}`, async () => {
    for (const device of devices) {
      await supervisor.run({
        name: `worker-${device === 'cpu' ? 'cpu' : `gpu${device}`}`,
        script: join(programs, 'main.mjs'),
        args: ['worker', '--device', device, ...contributed.flags],
        env,
        cwd: root,
      });
    }
  });
}
