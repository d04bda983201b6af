import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Logger } from '@holdfast/foundation'
import { keepPrivate } from './keep-private.ts'

/** Passwords of the roles that log in. Stored in the data folder, readable by its owner only. */
export interface ClusterSecrets {
  /** Of `supabase_admin`. */
  readonly superuserPassword: string
  /** Of `postgres`, which projects act as. Release 0.1.0 has none: there `postgres` is the superuser. */
  readonly projectPassword?: string
  readonly authenticatorPassword: string
  /** The database files are of release 0.1.0 and may still have `postgres` as their superuser. */
  readonly separation?: 'pending'
}

/** Secrets of a folder whose superuser is not the role that projects act as, or is about to be another one. */
export interface SeparateSecrets extends ClusterSecrets {
  readonly projectPassword: string
}

export function secretsPath(dataDir: string): string {
  return join(dataDir, 'secrets.json')
}

/** As `readSecrets`, for the server that the folder belongs to: it also closes a file that others can read. */
export function takeSecrets(dataDir: string, logger: Logger): ClusterSecrets | undefined {
  keepPrivate(secretsPath(dataDir), logger)
  return readSecrets(dataDir)
}

/** @returns the stored passwords, or `undefined` when there are none or the file is damaged */
export function readSecrets(dataDir: string): ClusterSecrets | undefined {
  let value: Partial<ClusterSecrets>
  try {
    value = JSON.parse(readFileSync(secretsPath(dataDir), 'utf8')) as Partial<ClusterSecrets>
  } catch {
    return undefined
  }
  const { superuserPassword, authenticatorPassword, projectPassword, separation } = value
  if (typeof superuserPassword !== 'string' || typeof authenticatorPassword !== 'string') return undefined
  return {
    superuserPassword,
    ...(typeof projectPassword === 'string' ? { projectPassword } : {}),
    authenticatorPassword,
    ...(separation === 'pending' ? { separation } : {}),
  }
}

/** Makes new passwords of 256 random bits and stores them. */
export function createSecrets(dataDir: string): SeparateSecrets {
  return writeSecrets(dataDir, {
    superuserPassword: randomPassword(),
    projectPassword: randomPassword(),
    authenticatorPassword: randomPassword(),
  })
}

/**
 * The secrets of a folder of release 0.1.0 with a superuser of its own. The password that people were told stays with `postgres`; the superuser gets one that
 * no client knows.
 */
export function separateSecrets(dataDir: string, stored: ClusterSecrets): SeparateSecrets {
  return writeSecrets(dataDir, {
    superuserPassword: randomPassword(),
    projectPassword: stored.superuserPassword,
    authenticatorPassword: stored.authenticatorPassword,
    separation: 'pending',
  })
}

/** Stores passwords, mode 0600, whole or not at all, and on the disk when this returns. */
export function writeSecrets<T extends ClusterSecrets>(dataDir: string, secrets: T): T {
  const path = secretsPath(dataDir)
  const file = openSync(`${path}.new`, 'w', 0o600)
  writeSync(file, `${JSON.stringify(secrets, undefined, 2)}\n`)
  fsyncSync(file)
  closeSync(file)
  renameSync(`${path}.new`, path)
  syncFolder(dirname(path))
  return secrets
}

/** A name that was changed survives a loss of power only when the folder is on the disk, too. Windows has no such call. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  fsyncSync(folder)
  closeSync(folder)
}

/** Letters, digits, `-` and `_`: needs no escaping in an address. */
export function randomPassword(): string {
  return randomBytes(32).toString('base64url')
}
