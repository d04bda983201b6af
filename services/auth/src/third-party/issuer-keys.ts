import { createLocalJWKSet, errors, type CryptoKey, type JSONWebKeySet, type JWSHeaderParameters } from 'jose'
import { type Clock, delay, errorMessage, type Logger } from '@holdfast/foundation'
import { discoveryUrlOf } from '../external/discovery.ts'
import type { ProviderNetwork } from '../external/provider-network.ts'
import { requireRecord } from '../external/read-json.ts'
import {
  ISSUER_KEYS_AGE_MS_MAX,
  ISSUER_KEYS_FRESH_MS,
  ISSUER_KEYS_MAX,
  ISSUER_KEYS_PAUSE_MS,
  ISSUER_KEYS_WAIT_MS,
} from '../limits.ts'
import { issuerUnavailable } from './errors.ts'
import { type ThirdPartyIssuer, withoutSlash } from './issuers.ts'

/** A key of an issuer, and how the issuer calls itself in `iss`. */
export interface FoundKey {
  readonly key: CryptoKey
  readonly issuer: string
}

/** The published keys of one issuer. */
export interface IssuerKeys {
  /** Grows whenever other keys are published, so that what was verified with the former ones can be forgotten. */
  readonly generation: number
  /** Whether keys are there that may still be used; begins to read them again when they are not fresh. */
  isUsable(): boolean
  /**
   * The key that a token's header names. A name that is not among the keys makes them be read again, at most once in {@link ISSUER_KEYS_PAUSE_MS}.
   *
   * @returns `undefined` when there is none
   * @throws {HoldfastError} `issuer_unavailable` when the keys cannot be read at the moment
   */
  find(header: JWSHeaderParameters): Promise<FoundKey | undefined>
}

interface LoadedKeys {
  /** As published, to notice a change. */
  readonly text: string
  readonly issuer: string
  readonly find: ReturnType<typeof createLocalJWKSet>
  readonly readAtMs: number
}

/** Reads the keys in the background, now and later. Nobody waits for them but requests whose token needs a key that is not there. */
export function createIssuerKeys(input: {
  readonly issuer: ThirdPartyIssuer
  readonly network: Pick<ProviderNetwork, 'getJson'>
  readonly clock: Clock
  readonly logger: Logger
}): IssuerKeys {
  const { issuer, network, clock, logger } = input
  let loaded: LoadedKeys | undefined
  let reading: Promise<void> | undefined
  let attemptedAtMs = -Infinity
  let generation = 0
  void refresh()

  return {
    get generation() {
      return generation
    },
    isUsable() {
      const age = ageMs()
      if (age >= ISSUER_KEYS_FRESH_MS) void refresh()
      return age < ISSUER_KEYS_AGE_MS_MAX
    },
    async find(header) {
      if (ageMs() >= ISSUER_KEYS_AGE_MS_MAX) {
        await patiently(refresh())
        if (ageMs() >= ISSUER_KEYS_AGE_MS_MAX) throw issuerUnavailable(issuer.url)
      } else if (ageMs() >= ISSUER_KEYS_FRESH_MS) {
        void refresh()
      }
      const known = await findLoaded(header)
      if (known) return known
      const again = refresh()
      if (again === undefined) return undefined
      await patiently(again)
      return findLoaded(header)
    },
  }

  function ageMs(): number {
    return loaded ? clock.now() - loaded.readAtMs : Infinity
  }

  /** @returns `undefined` when it was tried a moment ago */
  function refresh(): Promise<void> | undefined {
    if (reading) return reading
    const nowMs = clock.now()
    if (nowMs - attemptedAtMs < ISSUER_KEYS_PAUSE_MS) return undefined
    attemptedAtMs = nowMs
    reading = read()
      .then(
        (next) => {
          if (next.text !== loaded?.text) generation += 1
          loaded = next
        },
        (error: unknown) => {
          const reason = errorMessage(error)
          logger.log('warn', 'the keys of a third-party issuer cannot be read', { issuer: issuer.url, error: reason })
        },
      )
      .finally(() => (reading = undefined))
    return reading
  }

  async function read(): Promise<LoadedKeys> {
    const document = requireRecord(await network.getJson(discoveryUrlOf(issuer.url)))
    const { issuer: name, jwks_uri: uri } = document
    if (typeof name !== 'string' || withoutSlash(name) !== issuer.url) {
      throw new Error(`its discovery document names the issuer ${JSON.stringify(name)}`)
    }
    if (typeof uri !== 'string') throw new Error('its discovery document names no jwks_uri')
    const keySet = requireRecord(await network.getJson(uri))
    const { keys } = keySet
    if (!Array.isArray(keys)) throw new Error(`${uri} has no list of keys`)
    if (keys.length > ISSUER_KEYS_MAX) throw new Error(`${uri} has ${keys.length} keys; ${ISSUER_KEYS_MAX} are allowed`)
    const find = createLocalJWKSet(keySet as unknown as JSONWebKeySet)
    return { text: JSON.stringify([name, keys]), issuer: name, find, readAtMs: clock.now() }
  }

  async function findLoaded(header: JWSHeaderParameters): Promise<FoundKey | undefined> {
    if (!loaded) return undefined
    const { find, issuer: name } = loaded
    try {
      return { key: await find(header), issuer: name }
    } catch (error) {
      // Several that match without a `kid` are no match either.
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }

  /** A host that hangs holds nobody for longer than this; reading goes on. */
  async function patiently(work: Promise<void> | undefined): Promise<void> {
    if (!work) return
    const patience = new AbortController()
    try {
      await Promise.race([work, delay(ISSUER_KEYS_WAIT_MS, patience.signal).catch(() => undefined)])
    } finally {
      patience.abort()
    }
  }
}
