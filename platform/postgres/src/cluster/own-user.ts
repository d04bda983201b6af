import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The user `nobody` of Linux systems, whom other daemons run as too. */
export const NOBODY = 65_534

/**
 * Ids that are one database's own: the range that systemd's list of ids calls unused, below its dynamic services and above everything that
 * `useradd` gives away. Within 16 bits, so that it is there in containers too.
 */
export const OWN_IDS = { first: 60_706, last: 61_183 }

/** What decides which id is free. */
export interface IdsInUse {
  /** Of users and groups that have a name, and of processes that run. */
  readonly taken: ReadonlySet<number>
  /** Whether this process may give files to the id: in a container of an unprivileged user, not every id exists. */
  readonly exists: (id: number) => boolean
}

/**
 * The id, of user and group, that a database without an owner gets: derived from its folder, so that it is the same at every attempt and another one for
 * another folder; the next free one where that is taken. From then on it is kept by the ownership of the files.
 *
 * @returns `nobody` where the range does not exist
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
 * Whether parts of a database lie outside its folder, behind symbolic links (tablespaces, a write-ahead log elsewhere). They cannot be given away by
 * following the links: who may write to the folder would decide what root gives away.
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

/** Third field of each line, of users and of groups alike. */
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

/** A line is: first id here, first id outside, how many. Without the file all ids exist. */
function mappedIds(path: string): (id: number) => boolean {
  const ranges = linesOf(path).map((line) => line.trim().split(/\s+/).map(Number))
  return (id) => ranges.length === 0 || ranges.some(([first = 0, , count = 0]) => id >= first && id < first + count)
}

/** Nothing where there is no such file; a process may also end while it is looked at. */
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
