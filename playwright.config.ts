import { defineConfig } from '@playwright/test';

/** Files of the full set, and tests of it in other files. */
const FULL = /\.full\.spec\.ts|@full/;

/** Browser tests: a real grid and the machine's own Chromium. */
export default defineConfig({
  testDir: 'tests',
  testMatch: '**/*.spec.ts',
  globalSetup: './tests/build.ts',
  // Files run side by side, each in one worker; what a worker's files share is in tests/fixtures.ts.
  workers: 2,
  timeout: 120_000,
  expect: { timeout: 30_000 },
  projects: [
    // What `npm test` runs: the main journeys.
    { name: 'journeys', grepInvert: FULL },
    // The rest, for `npm run test:full`: every page in four forms, every command that a page prints.
    { name: 'pages', grep: FULL },
  ],
  use: {
    browserName: 'chromium',
    launchOptions: {
      executablePath: '/usr/bin/chromium',
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
