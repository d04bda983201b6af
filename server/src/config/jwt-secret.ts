import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HoldfastError, type Logger } from '@holdfast/foundation'
import { keepPrivate } from '@holdfast/postgres'

/** Characters below which a secret can be searched for. */
const LENGTH_MIN = 32

/**
 * The secret that signs the API keys: the configured one, else the one in the data folder, else a new one, which is stored there with mode 0600.
 * A file there that others can read is closed.
 *
 * @throws {HoldfastError} `jwt_secret_invalid`
 */
export function resolveJwtSecret(configured: string | undefined, dataDir: string, logger: Logger): string {
  if (configured !== undefined) return requireLong(configured, 'Set a longer one, or none: then Holdfast makes one.')
  const path = join(dataDir, 'jwt-secret')
  keepPrivate(path, logger)
  const hint = `${path} is damaged. Restore it, or remove it to get new API keys.`
  return requireLong(readOrUndefined(path) ?? create(dataDir, path), hint)
}

/** The secret in the data folder of a server that has been started; `undefined` when there is none. */
export function readJwtSecret(dataDir: string): string | undefined {
  return readOrUndefined(join(dataDir, 'jwt-secret'))
}

function requireLong(secret: string, hint: string): string {
  if (Buffer.byteLength(secret) >= LENGTH_MIN) return secret
  throw new HoldfastError('jwt_secret_invalid', 500, `The JWT secret is shorter than ${LENGTH_MIN} characters.`, {
    hint,
  })
}

function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function create(dataDir: string, path: string): string {
  const secret = randomBytes(48).toString('base64url')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(`${path}.new`, `${secret}\n`, { mode: 0o600, flush: true })
  renameSync(`${path}.new`, path)
  return secret
}
