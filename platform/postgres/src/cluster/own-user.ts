import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Linux's `nobody`, which other daemons also use. */
export const NOBODY = 65_534

/**
 * Ids for dedicated users: the range systemd lists as unused, below its dynamic services and above everything `useradd` assigns. Within 16 bits, for
 * containers.
 */
export const OWN_IDS = { first: 60_706, last: 61_183 }

/** Ids that are unavailable. */
export interface IdsInUse {
  /** Ids of named users and groups, and of running processes. */
  readonly taken: ReadonlySet<number>
  /** Whether files can be given to the id: unprivileged containers do not map every id. */
  readonly exists: (id: number) => boolean
}

/**
 * Returns the user and group id for a database without an owner: derived from its folder, thus stable and different per folder; the next free one if taken.
 * Afterwards the ownership of the files preserves it.
 *
 * @returns `nobody` if the range does not exist
 */
export function ownIdFor(databaseDir: string, { taken, exists }: IdsInUse = idsInUse()): number {
  const count = OWN_IDS.last - OWN_IDS.first + 1
  const start = createHash('sha256').update(databaseDir).digest().readUInt32BE() % count
  for (let step = 0; step < count; step++) {
    const id = OWN_IDS.first + ((start + step) % count)
    if (!taken.has(id) && exists(id)) return id
  }
  return NOBODY
}

/**
 * Whether parts of a database are outside its folder behind symbolic links (tablespaces, WAL). Their ownership cannot be changed safely: whoever can write to
 * the folder would control what root gives away.
 */
export function hasPartsElsewhere(databaseDir: string): boolean {
  const entries = ['.', 'pg_tblspc'].flatMap((part) => {
    const folder = join(databaseDir, part)
    return statSync(folder, { throwIfNoEntry: false }) ? readdirSync(folder, { withFileTypes: true }) : []
  })
  return entries.some((entry) => entry.isSymbolicLink())
}

function idsInUse(): IdsInUse {
  const taken = new Set([...namedIds('/etc/passwd'), ...namedIds('/etc/group'), ...idsOfProcesses()])
  const users = mappedIds('/proc/self/uid_map')
  const groups = mappedIds('/proc/self/gid_map')
  return { taken, exists: (id) => users(id) && groups(id) }
}

/** Third field of each line, in users and groups alike. */
function namedIds(path: string): readonly number[] {
  return linesOf(path).map((line) => Number(line.split(':')[2]))
}

function idsOfProcesses(): readonly number[] {
  const processes = linesOfFolder('/proc').filter((name) => /^\d+$/.test(name))
  return processes.flatMap((pid) =>
    linesOf(`/proc/${pid}/status`)
      .filter((line) => /^[UG]id:/.test(line))
      .flatMap((line) => line.split(/\s+/).slice(1).map(Number)),
  )
}

/** Parses lines of: first inside id, first outside id, count. Without the file all ids exist. */
function mappedIds(path: string): (id: number) => boolean {
  const ranges = linesOf(path).map((line) => line.trim().split(/\s+/).map(Number))
  return (id) => ranges.length === 0 || ranges.some(([first = 0, , count = 0]) => id >= first && id < first + count)
}

/** Empty if the file does not exist; processes may end during the scan. */
function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean)
  } catch {
    return []
  }
}

function linesOfFolder(path: string): readonly string[] {
  return statSync(path, { throwIfNoEntry: false }) ? readdirSync(path) : []
}
