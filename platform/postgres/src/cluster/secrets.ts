import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '@holdfast/foundation'
import { keepPrivate } from './keep-private.ts'

/** Passwords of the roles that log in. Stored in the data folder, readable by its owner only. */
export interface ClusterSecrets {
  readonly superuserPassword: string
  readonly authenticatorPassword: string
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
  const { superuserPassword, authenticatorPassword } = value
  if (typeof superuserPassword !== 'string' || typeof authenticatorPassword !== 'string') return undefined
  return { superuserPassword, authenticatorPassword }
}

/** Makes new passwords of 256 random bits and stores them, mode 0600, whole or not at all. */
export function createSecrets(dataDir: string): ClusterSecrets {
  const secrets = { superuserPassword: randomPassword(), authenticatorPassword: randomPassword() }
  const path = secretsPath(dataDir)
  const file = openSync(`${path}.new`, 'w', 0o600)
  writeSync(file, `${JSON.stringify(secrets, undefined, 2)}\n`)
  fsyncSync(file)
  closeSync(file)
  renameSync(`${path}.new`, path)
  return secrets
}

/** Letters, digits, `-` and `_`: needs no escaping in an address. */
export function randomPassword(): string {
  return randomBytes(32).toString('base64url')
}
