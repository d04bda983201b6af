import { importJWK, type CryptoKey, type JWK } from 'jose'
import { assert, defined, errorMessage, Semaphore, type Clock, type Logger } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
import { KEYS_RELOAD_AFTER_MS } from '../limits.ts'
import { createKey, insertKey, readKeys, type SigningAlgorithm, type SigningKeyRow } from './signing-key-row.ts'
import { adoptSigningKeys, readSigningKeysFile } from './signing-keys-file.ts'

/** A JSON Web Key Set as published. */
export interface Jwks {
  readonly keys: readonly JWK[]
}

/** The keys that sign and verify access tokens. */
export interface SigningKeys extends Disposable {
  readonly current: { readonly kid: string; readonly algorithm: SigningAlgorithm; readonly privateKey: CryptoKey }
  /** @returns the public key; `undefined` unless `kid` is one of our keys for that algorithm */
  verificationKey(kid: string, algorithm: SigningAlgorithm): CryptoKey | undefined
  readonly jwks: Jwks
  /** Increases whenever the keys change, so that cached tokens are checked again. */
  readonly generation: number
  /** When the oldest key was created, in seconds since the epoch: the age of this installation. */
  readonly bornAtS: number
  /** Reads the keys again after a change here. Changes by other processes take effect within {@link KEYS_RELOAD_AFTER_MS}. */
  reload(): Promise<void>
}

interface LoadedKeys {
  /** Fingerprint of the keys and their statuses, to detect changes. */
  readonly state: string
  readonly current: SigningKeys['current']
  readonly publicKeys: ReadonlyMap<string, { readonly algorithm: SigningAlgorithm; readonly key: CryptoKey }>
  readonly jwks: Jwks
}

/**
 * Reads the keys of `auth.signing_keys` now and periodically, and creates the first one if there is none. Two servers that start at the
 * same time agree on one key.
 *
 * @param given.path - of a file whose first key becomes the signing key, if any
 * @param given.bornAt - creation time of the first key, if there is none yet
 * @throws {HoldfastError} as {@link readSigningKeysFile} and {@link adoptSigningKeys}
 */
export async function openSigningKeys(
  pool: Pool,
  clock: Clock,
  logger: Logger,
  { path, bornAt }: { readonly path: string | undefined; readonly bornAt?: Date | undefined },
): Promise<SigningKeys> {
  const now = (bornAt ?? new Date(clock.now())).toISOString()
  if (path !== undefined) await adoptSigningKeys(pool, await readSigningKeysFile(path), now)
  let rows = await readKeys(pool)
  if (!rows.some((row) => row.status === 'current')) {
    await insertKey(pool, { ...(await createKey('ES256')), status: 'current' }, now)
    rows = await readKeys(pool)
  }
  const bornAtS = Math.floor(Math.min(...rows.map((row) => row.created_at.getTime())) / 1000)
  let loaded = await load(rows)
  let generation = 0

  const readAgain = async (): Promise<void> => {
    const next = await readKeys(pool)
    if (stateOf(next) === loaded.state) return
    loaded = await load(next)
    generation += 1
  }
  /** Serializes reads, so that older keys never replace newer ones. */
  const reads = new Semaphore({ permits: 1 })
  const reload = (): Promise<void> => reads.run({}, readAgain)
  const timer = setInterval(() => {
    reload().catch((error: unknown) =>
      logger.log('debug', 'could not look for new keys', { error: errorMessage(error) }),
    )
  }, KEYS_RELOAD_AFTER_MS)
  timer.unref()

  return {
    get current() {
      return loaded.current
    },
    get jwks() {
      return loaded.jwks
    },
    get generation() {
      return generation
    },
    bornAtS,
    verificationKey(kid, algorithm) {
      const found = loaded.publicKeys.get(kid)
      return found?.algorithm === algorithm ? found.key : undefined
    },
    reload,
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

async function load(rows: readonly SigningKeyRow[]): Promise<LoadedKeys> {
  const current = defined(
    rows.find((row) => row.status === 'current'),
    'one key is current',
  )
  const live = rows.filter((row) => row.status !== 'revoked')
  const publicKeys = new Map<string, { algorithm: SigningAlgorithm; key: CryptoKey }>()
  for (const row of live) {
    publicKeys.set(row.kid, { algorithm: row.algorithm, key: await importKey(row.public_jwk, row.algorithm) })
  }
  return {
    state: stateOf(rows),
    current: {
      kid: current.kid,
      algorithm: current.algorithm,
      privateKey: await importKey(current.private_jwk, current.algorithm),
    },
    publicKeys,
    jwks: { keys: live.map((row) => row.public_jwk) },
  }
}

function stateOf(rows: readonly SigningKeyRow[]): string {
  return rows.map((row) => `${row.kid} ${row.status}`).join('\n')
}

async function importKey(jwk: JWK, algorithm: SigningAlgorithm): Promise<CryptoKey> {
  const key = await importJWK(jwk, algorithm)
  assert(!(key instanceof Uint8Array), 'signing keys are asymmetric')
  return key
}
