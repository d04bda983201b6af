import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { parseJwtSecret, parseSigningSecret, type SigningSecret } from '@holdfast/auth'
import { errorMessage, HoldfastError, type Logger } from '@holdfast/foundation'
import { keepPrivate } from '@holdfast/postgres'
import { ensureKeyFile, readKeyFile } from '../key-file.ts'

export interface ResolvedJwtSecret extends SigningSecret {
  /** As configured or stored. */
  readonly text: string
}

/**
 * Returns the secret that signs API keys: the configured one, otherwise the one stored in the data folder, otherwise a new one, which is stored there with mode
 * 0600. Restricts a stored file that others can read. If only public keys are configured, they verify tokens and the stored secret signs.
 *
 * @throws {HoldfastError} `jwt_secret_invalid`
 */
export function resolveJwtSecret(configured: string | undefined, dataDir: string, logger: Logger): ResolvedJwtSecret {
  const given = configured === undefined ? undefined : parseJwtSecret(configured)
  if (configured !== undefined && given?.signing) return { text: configured, keys: given.keys, signing: given.signing }
  const path = join(dataDir, 'jwt-secret')
  keepPrivate(path, logger)
  const text = ensureKeyFile(path, () => randomBytes(48).toString('base64url'))
  const { signing, keys } = parseStored(text, path)
  return { text, signing, keys: [...keys, ...(given?.keys ?? [])] }
}

/** Returns the bytes that sign API keys for a server started earlier; `undefined` if there are none. */
export function readSigningSecret(configured: string | undefined, dataDir: string): Uint8Array | undefined {
  const given = configured === undefined ? undefined : parseJwtSecret(configured).signing
  if (given) return given
  const path = join(dataDir, 'jwt-secret')
  const text = readKeyFile(path)
  return text === undefined ? undefined : parseStored(text, path).signing
}

/** A stored secret is always text. */
function parseStored(text: string, path: string): SigningSecret {
  const hint = `${path} is damaged. Restore it, or remove it to get new API keys.`
  try {
    return parseSigningSecret(text)
  } catch (error) {
    throw new HoldfastError('jwt_secret_invalid', 500, errorMessage(error), { hint })
  }
}
