/** The packages of the repository that the server consists of, relative to the repository. */
export const SERVER_PACKAGES = [
  'platform/foundation',
  'platform/protocol',
  'platform/http',
  'platform/postgres',
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
