import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { StartProblem } from './problem';

/** Builds the site for production and bundles the worker; what has not changed is not built again. */
export function build(root: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const turbo = spawn(
      process.execPath,
      [
        join(root, 'node_modules', 'turbo', 'bin', 'turbo'),
        ...['run', 'build', '--ui=stream', '--output-logs=errors-only', '--no-update-notifier'],
      ],
      {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', NEXT_TELEMETRY_DISABLED: '1' },
      },
    );
    let output = '';
    const keep = (chunk: Buffer) => {
      output += chunk.toString();
    };
    turbo.stdout.on('data', keep);
    turbo.stderr.on('data', keep);
    turbo.on('error', reject);
    turbo.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new StartProblem(`${output}\nThe build failed, see above.`));
    });
  });
}
