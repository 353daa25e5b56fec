import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

interface Compose {
  readonly services: Readonly<Record<string, { readonly ports?: readonly string[] }>>;
}

test('what compose publishes is on loopback until the operator chooses an address', async () => {
  const text = await readFile(new URL('../docker-compose.yml', import.meta.url), 'utf8');
  const { services } = parse(text) as Compose;
  const ports = Object.values(services).flatMap(({ ports: published = [] }) => published);
  expect(ports).toHaveLength(1);
  for (const port of ports) {
    expect(port.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  }
});
