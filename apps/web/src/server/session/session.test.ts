import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keptSessionSecret } from './session';

it('is made once, for the owner only, and the same for all who ask', async () => {
  const root = await mkdtemp(join(tmpdir(), 'tilemark-secret-'));
  try {
    const dataDir = join(root, 'data');
    const secrets = await Promise.all([keptSessionSecret(dataDir), keptSessionSecret(dataDir)]);
    expect(new Set([...secrets, await keptSessionSecret(dataDir)]).size).toBe(1);
    expect(secrets[0]?.length).toBeGreaterThanOrEqual(32);
    expect((await stat(join(dataDir, 'session-secret'))).mode & 0o777).toBe(0o600);
  } finally {
    await rm(root, { recursive: true });
  }
});
