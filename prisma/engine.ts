import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { SchemaContainer, SchemaEngine } from '@prisma/schema-engine-wasm';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import { catalogueAdapter } from './catalogue';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
export const MIGRATIONS_FOLDER = join(FOLDER, 'migrations');

/** The schema as the engine takes it. */
export async function readSchema(): Promise<SchemaContainer> {
  const path = join(FOLDER, 'schema.prisma');
  return { path, content: await readFile(path, 'utf8') };
}

/**
 * One engine a process, however often this module is loaded (vitest loads it once a
 * project): the bindings hold a single instance, and timers of an earlier one would
 * run into the memory of a later one.
 */
const shared = globalThis as { tilemarkSchemaEngine?: Promise<void> };

/** Where the engine leaves the words of a panic before it traps. */
const panicRegistry = {
  set_message: (message: string) => {
    throw new Error(`Prisma's schema engine panicked: ${message}`);
  },
};

/** Prisma's schema engine as WebAssembly, in this process: nothing is downloaded. */
async function instantiate(): Promise<void> {
  const script = createRequire(import.meta.url).resolve(
    '@prisma/schema-engine-wasm/schema_engine_bg',
  );
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: panicRegistry });
  const code = new Uint8Array(await readFile(script.replace(/\.js$/, '.wasm')));
  const { instance } = await WebAssembly.instantiate(code, {
    './schema_engine_bg.js': importsOf(bindings),
  });
  bindings.__wbg_set_wasm(instance.exports);
  (instance.exports as { __wbindgen_start(): void }).__wbindgen_start();
}

/**
 * What the engine imports. Its wait for a lock leaves a timer of 10 s behind,
 * which must not keep a finished process alive.
 */
function importsOf(module: object): WebAssembly.ModuleImports {
  const unreferenced = (callback: () => void, ms: number) => setTimeout(callback, ms).unref();
  return Object.fromEntries(
    Object.entries(module).map(([name, value]) => [
      name,
      name.startsWith('__wbg_setTimeout_') ? unreferenced : value,
    ]),
  );
}

/**
 * Opens the schema engine on a database, runs `use` and frees it.
 *
 * @param url `postgres://...` of an existing database
 */
export async function withEngine<T>(
  url: string,
  use: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  shared.tilemarkSchemaEngine ??= instantiate();
  await shared.tilemarkSchemaEngine;
  const { path, content } = await readSchema();
  const { factory, close } = catalogueAdapter(url);
  try {
    const engine = await bindings.SchemaEngine.new(
      { datamodels: [[path, content]] },
      () => undefined,
      bindMigrationAwareSqlAdapterFactory(factory),
    );
    try {
      return await use(engine);
    } finally {
      engine.free();
    }
  } finally {
    await close();
  }
}
