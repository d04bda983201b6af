import { createHash } from 'node:crypto'

/** Names the Postgres of a data folder in the list of processes: the folder's name alone would not tell two of them apart when orphans are looked for. */
export function clusterNameOf(dataDir: string): string {
  return `holdfast-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`
}
