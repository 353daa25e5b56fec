import { homedir } from 'node:os';
import { join } from 'node:path';
import { deviceKey, HttpLink, NotAdmitted } from '@tilemark/core';
import { readDataDir } from '@tilemark/core/env';
import type { Runner } from '../child/runner';
import { type GridOptions, siteOf } from '../cli/grid/client';
import type { Card } from '../gpu/cards';
import { takeInstance } from '../run/instance';
import type { Place } from './attach';

/**
 * A grid elsewhere, of which this machine knows the site's address and a token.
 *
 * @throws NotAdmitted for what cannot be a token, InputError for what cannot be an address;
 * InputError and DeviceFault of the device
 */
export async function httpPlace(
  options: Required<GridOptions>,
  runner: Runner,
  card?: Card,
): Promise<Place> {
  const { server, token } = siteOf(options, (message) => new NotAdmitted(message));
  const { identity } = await runner.open('default');
  const dataDir = readDataDir() ?? join(homedir(), '.tilemark');
  const instance = await takeInstance(dataDir, deviceKey(identity), card?.busId);
  const link = new HttpLink({ server, token });
  return { link, instance, dataDir: instance.folder, sharesJournal: false };
}
