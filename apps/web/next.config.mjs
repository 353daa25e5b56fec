import { fileURLToPath } from 'node:url';

/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  // Traced by name patterns only: sources, their tests, and sharp for images that no page has.
  outputFileTracingExcludes: {
    '*': [
      'src/**/*.{ts,tsx,css}',
      'Dockerfile',
      '../../node_modules/@img/**',
      '../../node_modules/sharp/**',
    ],
  },
  // What Next resolves at every start, though only a build loads it.
  outputFileTracingIncludes: {
    '*': [
      '../../node_modules/next/dist/compiled/webpack/*',
      '../../node_modules/next/dist/compiled/@babel/runtime/package.json',
    ],
  },
  outputFileTracingRoot: fileURLToPath(new URL('../..', import.meta.url)),
  reactStrictMode: true,
  // `npm test` checks the types of every package, this one too; once is enough.
  typescript: { ignoreBuildErrors: true },
  transpilePackages: ['@tilemark/core', '@tilemark/db', '@tilemark/kernels'],
  serverExternalPackages: [
    'bullmq',
    'hono',
    'ioredis',
    'pg',
    '@prisma/client',
    '@prisma/adapter-pg',
  ],
  turbopack: {
    rules: {
      '*.wgsl': { loaders: ['raw-loader'], as: '*.js' },
      // The primers of docs/, which the site renders.
      '*.md': { loaders: ['raw-loader'], as: '*.js' },
    },
    // The data folder's place is known at run time only; nothing is traced from it.
    ignoreIssue: [{ path: '**/core/src/server/env.ts', title: /Dynamic filesystem access/ }],
  },
  // No page has images that Next would have to resize for whoever asks.
  images: { unoptimized: true },
};

/**
 * Built to stand alone for the image, and served by src/server/serve.ts, not by the server.js of that
 * build: Next warns of the two together.
 */
export default (/** @type {string} */ phase) =>
  phase === 'phase-production-build' ? { ...config, output: 'standalone' } : config;
