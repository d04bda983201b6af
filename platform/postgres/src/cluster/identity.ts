import { accessSync, constants, lchownSync, readdirSync, statSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { dataFolderUnusable, folderOutOfReach } from './errors.ts'
import { NOBODY, hasPartsElsewhere, ownIdFor } from './own-user.ts'

/** The user Postgres runs as. Never root: its superuser can read and write files. */
export interface Identity {
  /** Options for `spawn`; empty to run as the current user. */
  readonly user: { readonly uid?: number; readonly gid?: number }
  /** Program and arguments that precede the command. */
  readonly prefix: readonly string[]
}

const SETPRIV = '/usr/bin/setpriv'

/**
 * Chooses the user Postgres runs as. For ordinary users: the same. For root: the owner of the database files, otherwise a dedicated user. `nobody`, shared with
 * other daemons, does not count as an owner.
 *
 * If that user cannot access the folders (such as an installation under `/root`), `setpriv` grants the single capability to read and search everything.
 *
 * @param databaseDir - folder of the database files; may not exist
 * @throws {HoldfastError} `postgres_folder_out_of_reach`
 */
export function resolveIdentity(binaries: Binaries, databaseDir: string): Identity {
  if (process.getuid?.() !== 0) return { user: {}, prefix: [] }
  const owner = statOrUndefined(databaseDir)
  if (owner && keepsOwner(owner, databaseDir)) return identityOf(binaries, databaseDir, owner.uid, owner.gid)
  const id = ownIdFor(databaseDir)
  return identityOf(binaries, databaseDir, id, id)
}

/** Access a program needs, as mode bits: `0o1` to enter a folder, `0o5` to read and execute its files. */
export interface Reach {
  readonly path: string
  readonly bits: number
}

/**
 * Chooses the user for another program, which must not run as root: the current user, or for root the owner of its folder, otherwise a dedicated user.
 *
 * @param folder - the program's files; may not exist
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
 * Chooses the user for `initdb`, which requires a named user, unlike the dedicated one. Ownership of the files changes afterwards.
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
 * Changes the owner of a folder's contents, and of the folder last: after an interruption the next start repeats this.
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

/** @returns `undefined` if Postgres runs as the current user */
export function ownerOf(identity: Identity): { readonly uid: number; readonly gid: number } | undefined {
  if (identity.user.uid !== undefined) return { uid: identity.user.uid, gid: identity.user.gid ?? identity.user.uid }
  const flag = (name: string): number | undefined => {
    const found = identity.prefix.find((argument) => argument.startsWith(`--${name}=`))
    return found === undefined ? undefined : Number(found.slice(name.length + 3))
  }
  const uid = flag('reuid')
  return uid === undefined ? undefined : { uid, gid: flag('regid') ?? uid }
}

/** Returns the first folder on the path whose mode denies access. Ignores ACLs. */
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

/** Whether this process may execute the program. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
