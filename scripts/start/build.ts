import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../environment';
import { StartProblem } from './terminal';

/**
 * Builds the site for production and bundles the worker; what has not changed is not built again.
 *
 * @param signal ends the build, which then fails
 */
export async function build(root: string, signal?: AbortSignal): Promise<void> {
  const turbo = join(root, 'node_modules', 'turbo', 'bin', 'turbo');
  const flags = ['--ui=stream', '--output-logs=errors-only', '--no-update-notifier'];
  const env = childEnvironment({ TURBO_TELEMETRY_DISABLED: '1', NEXT_TELEMETRY_DISABLED: '1' });
  const running = promisify(execFile)(process.execPath, [turbo, 'run', 'build', ...flags], {
    ...{ cwd: root, env, maxBuffer: 2 ** 26 },
  });
  // Not `execFile`'s own `signal`, which would not wait until turbo has ended its tasks.
  signal?.addEventListener('abort', () => running.child.kill());
  await running.catch(({ message, stdout, stderr }) => {
    throw new StartProblem(`${stdout || message}${stderr}\nThe build failed, see above.`);
  });
}
