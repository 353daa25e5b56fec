import { fileURLToPath } from 'node:url';
import type { NextConfig } from 'next';

/** Sent with every response; the content security policy, which needs a nonce, is set in proxy.ts. */
const securityHeaders = [
  { key: 'X-Content-Type-Options', value: 'nosniff' },
  { key: 'X-Frame-Options', value: 'DENY' },
  { key: 'Referrer-Policy', value: 'same-origin' },
  { key: 'Cross-Origin-Opener-Policy', value: 'same-origin' },
  { key: 'Permissions-Policy', value: 'camera=(), geolocation=(), microphone=()' },
];

const config: NextConfig = {
  poweredByHeader: false,
  output: 'standalone',
  // Traced by name patterns only: sources, their tests, and sharp for images that no page has.
  outputFileTracingExcludes: {
    '*': [
      'src/**/*.{ts,tsx,css}',
      'Dockerfile',
      '../../node_modules/@img/**',
      '../../node_modules/sharp/**',
    ],
  },
  outputFileTracingRoot: fileURLToPath(new URL('../..', import.meta.url)),
  reactStrictMode: true,
  // `npm test` checks the types of every package, this one too; once is enough.
  typescript: { ignoreBuildErrors: true },
  transpilePackages: ['@tilemark/core', '@tilemark/db', '@tilemark/kernels'],
  serverExternalPackages: [
    '@hono/node-server',
    'bullmq',
    'hono',
    'ioredis',
    'pg',
    '@prisma/client',
    '@prisma/adapter-pg',
    'prom-client',
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
  // Bodies go through proxy.ts; what an operation accepts is its own to say.
  experimental: { proxyClientMaxBodySize: '72mb' },
  // The permalinks of results: short, and readable in the tree.
  rewrites: async () => [{ source: '/r/:id', destination: '/results/short/:id' }],
  headers: async () => [{ source: '/:path*', headers: securityHeaders }],
};

export default config;
