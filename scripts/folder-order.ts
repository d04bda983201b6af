/** For each package, the order of its folders: a file may import from its own folder and from those before it. */
export const FOLDER_ORDER: Readonly<Record<string, readonly string[]>> = {
  'platform/postgres': ['sql', 'wire', 'pipeline', 'connection', 'cluster', 'catalog', 'migrate'],
  'platform/policy': ['catalog', 'syntax', 'read', 'compile'],
  'platform/replication': ['pgoutput', 'copy', 'backup', 'read-slot'],
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
  'services/rest': ['request', 'plan', 'query', 'openapi', 'response'],
  'services/sync': [
    'encode',
    'lease',
    'storage',
    'buckets',
    'checkpoints',
    'compaction',
    'rows',
    'fill',
    'replicator',
    'stream',
    'upload',
    'schema',
    'inspect',
    'routes',
  ],
  server: ['config', 'sample', 'backup', 'gateway', 'parts', 'cli'],
}

/** For each package, the files whose imports do not count: they only name the types of the parts that every folder is handed. */
export const HANDED_TYPES: Readonly<Record<string, readonly string[]>> = {
  'services/auth': ['context.ts'],
}

/** Files of a package by their path below `src`, each with the files of the package that it imports, types included. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

/**
 * Finds imports that point to a later folder, also through files that lie beside the folders: such a file counts as part of the last folder that it reaches.
 *
 * @param handedTypes - files that count as part of no folder
 * @returns a line for each
 */
export function findUpwardImports(
  graph: ImportGraph,
  order: readonly string[],
  handedTypes: readonly string[] = [],
): readonly string[] {
  const offences: string[] = []
  const folders = new Set([...graph.keys()].flatMap((file) => folderOf(file) ?? []))
  for (const folder of folders) {
    if (!order.includes(folder))
      offences.push(`${folder}/ has no place in the order of folders (scripts/folder-order.ts)`)
  }
  const ranks = new Map(handedTypes.map((file): [string, number] => [file, -1]))
  const rankOf = (file: string): number => {
    const known = ranks.get(file)
    if (known !== undefined) return known
    const folder = folderOf(file)
    ranks.set(file, -1) // for circles, which are reported apart
    const rank = folder === undefined ? Math.max(-1, ...(graph.get(file) ?? []).map(rankOf)) : order.indexOf(folder)
    ranks.set(file, rank)
    return rank
  }
  for (const [file, imports] of graph) {
    if (folderOf(file) === undefined) continue
    for (const target of imports) {
      if (rankOf(target) > rankOf(file)) offences.push(`${file}: may not import ${target}, which belongs above it`)
    }
  }
  return offences
}

/** Finds the circles in which files import each other. @returns a line for each, with one way round */
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

function folderOf(file: string): string | undefined {
  const [folder, ...rest] = file.split('/')
  return rest.length > 0 ? folder : undefined
}
