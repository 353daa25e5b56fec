import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../environment';
import { StartProblem } from './terminal';

/** Builds the site for production and bundles the worker; what has not changed is not built again. */
export async function build(root: string): Promise<void> {
  const turbo = join(root, 'node_modules', 'turbo', 'bin', 'turbo');
  const flags = ['--ui=stream', '--output-logs=errors-only', '--no-update-notifier'];
  const env = childEnvironment({ TURBO_TELEMETRY_DISABLED: '1', NEXT_TELEMETRY_DISABLED: '1' });
  await promisify(execFile)(process.execPath, [turbo, 'run', 'build', ...flags], {
    ...{ cwd: root, env, maxBuffer: 2 ** 26 },
  }).catch(({ message, stdout, stderr }) => {
    throw new StartProblem(`${stdout || message}${stderr}\nThe build failed, see above.`);
  });
}
