#!/usr/bin/env node
import { existsSync } from 'node:fs';

const bundle = new URL('../dist/main.mjs', import.meta.url);
if (existsSync(bundle)) {
  await import(bundle.href);
} else {
  console.error('tilemark is not built yet. Run: npm run build');
  process.exit(1);
}
