/** The order of each package's folders: a file may import from its own folder and earlier ones. A nested folder has its own position or that of its parent. */
export const FOLDER_ORDER: Readonly<Record<string, readonly string[]>> = {
  'platform/foundation': ['admission'],
  'platform/protocol': ['formula'],
  'platform/postgres': ['sql', 'wire', 'pipeline', 'connection', 'dump', 'cluster', 'catalog', 'migrate'],
  'platform/policy': ['catalog', 'syntax', 'read', 'compile', 'writes'],
  'platform/replication': ['pgoutput', 'copy', 'read-slot'],
  'services/auth': [
    'options',
    'secrets',
    'redirects',
    'one-time-tokens',
    'flow-state',
    'users',
    'captcha',
    'passwords',
    'hooks',
    'identities',
    'webauthn',
    'messages',
    'messages/de',
    'tokens',
    'sessions',
    'confirmations',
    'sign-up',
    'external',
    'account',
    'mfa',
    'passkeys',
    'grants',
    'admin',
    'oauth-server',
    'third-party',
    'routes',
  ],
  'services/rest': [
    'request',
    'catalog',
    'plan',
    'query',
    'openapi',
    'config',
    'prepare',
    'execute',
    'response',
    'routes',
  ],
  'services/storage': [
    'backend',
    'database',
    'sweep',
    'images',
    'request',
    'objects',
    'buckets',
    'resumable',
    'response',
    's3',
    'routes',
  ],
  'services/realtime': ['wire', 'bus', 'database', 'access', 'changes', 'channel', 'socket', 'routes'],
  'services/functions': ['project', 'process', 'observe', 'workers', 'proxy', 'webhooks', 'schedules'],
  'services/sync': [
    'encode',
    'lease',
    'user-sql',
    'storage',
    'buckets',
    'checkpoints',
    'replica',
    'followers',
    'compaction',
    'rows',
    'fill',
    'replicator/log',
    'replicator/setup',
    'replicator/plan',
    'replicator/serve',
    'replicator/read',
    'replicator',
    'stream',
    'upload',
    'schema',
    'write-rules',
    'inspect',
    'check',
    'devices',
    'rsocket',
    'routes',
  ],
  'apps/console': ['lib', 'components', 'screens', 'app'],
  'services/console': [
    'operators',
    'users',
    'devices',
    'logs',
    'jobs',
    'settings',
    'sql',
    'tables',
    'files',
    'policies',
    'routing',
    'routes',
  ],
  sample: ['words', 'pictures'],
  server: [
    'vite',
    'digest',
    'push',
    'workspaces',
    'automations',
    'invitations',
    'config',
    'logs',
    'project',
    'types',
    'backup',
    'migrate',
    'gateway',
    'telemetry',
    'advisors',
    'parts',
    'testing',
    'cli',
  ],
  'clients/client': [
    'reads',
    'schema',
    'write-rules',
    'link',
    'session',
    'status',
    'queue',
    'attention',
    'upload',
    'attachments',
    'search',
    'check',
    'local',
    'channels',
  ],
  'apps/workspace': [
    'lib',
    'messages',
    'lib/data',
    'lib/fields',
    'lib/exchange',
    'lib/filters',
    'lib/map',
    'lib/search',
    'lib/photos',
    'lib/presence',
    'lib/push',
    'hooks',
    'lib/auth',
    'lib/records',
    'lib/views',
    'lib/dashboards',
    'lib/checklists',
    'components',
    'components/fields',
    'components/filter',
    'components/records',
    'components/presence',
    'features',
    'app',
  ],
  'tests/e2e': ['support', 'pictures', 'examples'],
}

/** Files of a package by path below `src`, with the package's files that they import, including types. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

/**
 * Finds imports from later folders, including through files beside the folders, which count as part of the last folder that they reach.
 *
 * @returns a line per import
 */
export function findUpwardImports(graph: ImportGraph, order: readonly string[]): readonly string[] {
  const offences: string[] = []
  const folders = new Set([...graph.keys()].flatMap((file) => folderOf(file, order) ?? []))
  for (const folder of folders) {
    if (!order.includes(folder))
      offences.push(`${folder}/ has no place in the order of folders (scripts/folder-order.ts)`)
  }
  const ranks = new Map<string, number>()
  const rankOf = (file: string): number => {
    const known = ranks.get(file)
    if (known !== undefined) return known
    const folder = folderOf(file, order)
    ranks.set(file, -1) // for circles, which are reported apart
    const rank = folder === undefined ? Math.max(-1, ...(graph.get(file) ?? []).map(rankOf)) : order.indexOf(folder)
    ranks.set(file, rank)
    return rank
  }
  for (const [file, imports] of graph) {
    if (folderOf(file, order) === undefined) continue
    for (const target of imports) {
      if (rankOf(target) > rankOf(file)) offences.push(`${file}: may not import ${target}, which belongs above it`)
    }
  }
  return offences
}

/** Finds import cycles. @returns a line per cycle, with one path around it */
export function findCircles(graph: ImportGraph): readonly string[] {
  const circles: string[] = []
  const done = new Set<string>()
  const path: string[] = []
  const visit = (file: string): void => {
    if (path.includes(file)) {
      circles.push([...path.slice(path.indexOf(file)), file].join(' → '))
      return
    }
    if (done.has(file)) return
    path.push(file)
    for (const target of graph.get(file) ?? []) visit(target)
    path.pop()
    done.add(file)
  }
  for (const file of graph.keys()) visit(file)
  return circles
}

/** Returns the innermost folder of a file that has a position, otherwise its outermost folder; `undefined` for a file beside the folders. */
function folderOf(file: string, order: readonly string[]): string | undefined {
  const names = file.split('/').slice(0, -1)
  const around = names.map((_, index) => names.slice(0, index + 1).join('/'))
  return around.findLast((folder) => order.includes(folder)) ?? around[0]
}
