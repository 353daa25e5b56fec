import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

interface Compose {
  readonly services: Readonly<
    Record<string, { readonly image?: string; readonly ports?: readonly string[] }>
  >;
}

const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8');

test('what compose publishes is on loopback until the operator chooses an address', async () => {
  const { services } = parse(await read('../docker-compose.yml')) as Compose;
  const ports = Object.values(services).flatMap(({ ports: published = [] }) => published);
  expect(ports).toHaveLength(1);
  for (const port of ports) {
    expect(port.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  }
});

test('Node, Postgres and Redis are one image each, pinned by version and digest', async () => {
  const { services } = parse(await read('../docker-compose.yml')) as Compose;
  const files = ['../apps/web/Dockerfile', '../apps/worker/Dockerfile'];
  const bases = (await Promise.all(files.map(read))).flatMap((file) => [
    ...file.matchAll(/^ARG NODE_IMAGE=(\S+)/gm),
  ]);
  const images = [
    ...Object.values(services).flatMap(({ image = '' }) => /:-(\S+)\}$/.exec(image)?.[1] ?? []),
    ...bases.map(([, image = '']) => image),
  ];
  expect(images).toHaveLength(4);
  expect(new Set(images).size).toBe(3);
  for (const image of images) {
    expect(image).toMatch(/^(postgres:\d+\.\d+|(redis|node):\d+\.\d+\.\d+\S*)@sha256:[\da-f]{64}$/);
  }
});
