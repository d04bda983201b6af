import { accessSync, constants, lchownSync, readdirSync, statSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { dataFolderUnusable, folderOutOfReach } from './errors.ts'
import { NOBODY, hasPartsElsewhere, ownIdFor } from './own-user.ts'

/** As whom Postgres runs. It refuses to run as root, and it should not: its superuser may read and write files. */
export interface Identity {
  /** For `spawn`; empty when Postgres runs as we do. */
  readonly user: { readonly uid?: number; readonly gid?: number }
  /** Program and arguments to put before the command. */
  readonly prefix: readonly string[]
}

const SETPRIV = '/usr/bin/setpriv'

/**
 * Decides as whom Postgres runs. As an ordinary user: as that one. As root: as the owner of the database files, else as a
 * user that nothing else runs as. Files of `nobody`, whom other daemons share, count as having no owner.
 *
 * Where that user cannot enter the folders (an installation under `/root`), it gets the one capability to read and search everything, through
 * `setpriv`.
 *
 * @param databaseDir - folder of the database files; it need not exist
 * @throws {HoldfastError} `postgres_folder_out_of_reach`
 */
export function resolveIdentity(binaries: Binaries, databaseDir: string): Identity {
  if (process.getuid?.() !== 0) return { user: {}, prefix: [] }
  const owner = statOrUndefined(databaseDir)
  if (owner && keepsOwner(owner, databaseDir)) return identityOf(binaries, databaseDir, owner.uid, owner.gid)
  const id = ownIdFor(databaseDir)
  return identityOf(binaries, databaseDir, id, id)
}

/** What a program has to reach, and with which bits of a mode: `0o1` to enter a folder, `0o5` to read and run its files. */
export interface Reach {
  readonly path: string
  readonly bits: number
}

/**
 * Decides as whom another program than Postgres runs, which must not have the rights of root: as we do, or, when that is root, as the owner of the folder that it keeps,
 * else as a user that nothing else runs as.
 *
 * @param folder - where the program keeps its files; it need not exist
 * @throws {HoldfastError} `postgres_folder_out_of_reach`
 */
export function resolveProgramIdentity(folder: string, needed: readonly Reach[]): Identity {
  if (process.getuid?.() !== 0) return { user: {}, prefix: [] }
  const owner = statOrUndefined(folder)
  if (owner && owner.uid !== 0) return withReach(needed, owner.uid, owner.gid)
  const id = ownIdFor(folder)
  return withReach(needed, id, id)
}

/**
 * As whom `initdb` makes a database: it insists on a user that has a name, which our own has not. The files change hands when it has ended.
 *
 * @throws {HoldfastError} `postgres_folder_out_of_reach`
 */
export function resolveInitIdentity(binaries: Binaries, databaseDir: string): Identity {
  if (process.getuid?.() !== 0) return { user: {}, prefix: [] }
  return identityOf(binaries, databaseDir, NOBODY, NOBODY)
}

function keepsOwner(owner: Stats, databaseDir: string): boolean {
  return owner.uid !== 0 && (owner.uid !== NOBODY || hasPartsElsewhere(databaseDir))
}

/** @throws {HoldfastError} `postgres_folder_out_of_reach` */
function identityOf(binaries: Binaries, databaseDir: string, uid: number, gid: number): Identity {
  return withReach(
    [
      { path: dirname(databaseDir), bits: 0o1 },
      { path: binaries.postgres, bits: 0o5 },
      { path: binaries.shareDir, bits: 0o5 },
    ],
    uid,
    gid,
  )
}

/** @throws {HoldfastError} `postgres_folder_out_of_reach` */
function withReach(needed: readonly Reach[], uid: number, gid: number): Identity {
  const blocked = needed.map(({ path, bits }) => firstBlocked(path, uid, gid, bits)).find((path) => path !== undefined)
  if (blocked === undefined) return { user: { uid, gid }, prefix: [] }
  if (!isExecutable(SETPRIV)) throw folderOutOfReach(blocked, uid)
  return {
    user: {},
    prefix: [
      SETPRIV,
      `--reuid=${uid}`,
      `--regid=${gid}`,
      '--clear-groups',
      '--inh-caps=-all,+dac_read_search',
      '--ambient-caps=-all,+dac_read_search',
      '--bounding-set=-all,+dac_read_search',
    ],
  }
}

/**
 * Gives a folder and all in it to the user that Postgres runs as. The folder itself comes last: while it has its old owner, the next start does this again.
 *
 * @throws {HoldfastError} `data_folder_unusable`
 */
export function giveFolder(path: string, identity: Identity): void {
  const owner = ownerOf(identity)
  if (owner === undefined) return
  const give = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const inside = join(folder, entry.name)
      if (entry.isDirectory()) give(inside)
      else if (entry.isFile()) lchownSync(inside, owner.uid, owner.gid)
    }
    lchownSync(folder, owner.uid, owner.gid)
  }
  try {
    give(path)
  } catch (error) {
    throw dataFolderUnusable(path, error)
  }
}

/** @returns `undefined` when Postgres runs as we do */
export function ownerOf(identity: Identity): { readonly uid: number; readonly gid: number } | undefined {
  if (identity.user.uid !== undefined) return { uid: identity.user.uid, gid: identity.user.gid ?? identity.user.uid }
  const flag = (name: string): number | undefined => {
    const found = identity.prefix.find((argument) => argument.startsWith(`--${name}=`))
    return found === undefined ? undefined : Number(found.slice(name.length + 3))
  }
  const uid = flag('reuid')
  return uid === undefined ? undefined : { uid, gid: flag('regid') ?? uid }
}

/** The first folder on the way to `path`, or `path` itself, whose mode keeps the user out. Access lists are not looked at. */
function firstBlocked(path: string, uid: number, gid: number, needed: number): string | undefined {
  const way = [path]
  for (let parent = dirname(path); parent !== way[0]; parent = dirname(parent)) way.unshift(parent)
  return way.find((step) => {
    const found = statOrUndefined(step)
    if (!found) return false
    const shift = found.uid === uid ? 6 : found.gid === gid ? 3 : 0
    const bits = step === path ? needed : 0o1
    return ((found.mode >> shift) & bits) !== bits
  })
}

function statOrUndefined(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}

/** Whether this process may run the program. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
