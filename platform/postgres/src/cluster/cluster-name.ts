import { createHash } from 'node:crypto'

/** Returns a name that identifies the data folder's Postgres in the process list, unique even for equal folder names, for finding orphans. */
export function clusterNameOf(dataDir: string): string {
  return `holdfast-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`
}
