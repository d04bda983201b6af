import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Logger } from '@holdfast/foundation'
import { keepPrivate } from './keep-private.ts'

/** Passwords of login roles. Stored in the data folder, readable only by its owner. */
export interface ClusterSecrets {
  /** Password of `supabase_admin`. */
  readonly superuserPassword: string
  /** Password of `postgres`, the project's role. Absent in release 0.1.0, where `postgres` is the superuser. */
  readonly projectPassword?: string
  readonly authenticatorPassword: string
  /** The database files are from release 0.1.0 and may still have `postgres` as superuser. */
  readonly separation?: 'pending'
}

/** Secrets of a folder whose superuser is separate from the project's role, or is being separated. */
export interface SeparateSecrets extends ClusterSecrets {
  readonly projectPassword: string
}

export function secretsPath(dataDir: string): string {
  return join(dataDir, 'secrets.json')
}

/** As `readSecrets`, for the owning server: also restricts the file's permissions. */
export function takeSecrets(dataDir: string, logger: Logger): ClusterSecrets | undefined {
  keepPrivate(secretsPath(dataDir), logger)
  return readSecrets(dataDir)
}

/** @returns the stored passwords; `undefined` if missing or damaged */
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

/** Generates 256-bit passwords and stores them. */
export function createSecrets(dataDir: string): SeparateSecrets {
  return writeSecrets(dataDir, {
    superuserPassword: randomPassword(),
    projectPassword: randomPassword(),
    authenticatorPassword: randomPassword(),
  })
}

/** Adds a separate superuser to the secrets of a release 0.1.0 folder. `postgres` keeps the known password; the superuser gets a new one. */
export function separateSecrets(dataDir: string, stored: ClusterSecrets): SeparateSecrets {
  return writeSecrets(dataDir, {
    superuserPassword: randomPassword(),
    projectPassword: stored.superuserPassword,
    authenticatorPassword: stored.authenticatorPassword,
    separation: 'pending',
  })
}

/** Stores passwords atomically and durably with mode 0600. */
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

/** Makes a rename survive a power loss. Windows has no such call. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  fsyncSync(folder)
  closeSync(folder)
}

/** Letters, digits, `-` and `_`: needs no escaping in a URL. */
export function randomPassword(): string {
  return randomBytes(32).toString('base64url')
}
