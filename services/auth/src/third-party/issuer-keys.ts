import { createLocalJWKSet, errors, type CryptoKey, type JSONWebKeySet, type JWSHeaderParameters } from 'jose'
import { type Clock, delay, errorMessage, HoldfastError, type Logger } from '@holdfast/foundation'
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
import { type ThirdPartyIssuer, withoutSlash } from './issuers.ts'

/** A key and the issuer's name in `iss`. */
export interface FoundKey {
  readonly key: CryptoKey
  readonly issuer: string
}

/** An issuer's published keys. */
export interface IssuerKeys {
  /** Increases whenever the published keys change, so that cached tokens are checked again. */
  readonly generation: number
  /** Returns whether usable keys are loaded. Starts a refresh if they are stale. */
  isUsable(): boolean
  /**
   * Finds the key of a token's header. An unknown key id triggers a refresh, at most once per {@link ISSUER_KEYS_PAUSE_MS}.
   *
   * @returns `undefined` without such a key
   * @throws {HoldfastError} `issuer_unavailable` if the keys cannot be fetched now
   */
  find(header: JWSHeaderParameters): Promise<FoundKey | undefined>
}

interface LoadedKeys {
  /** As published, to detect changes. */
  readonly text: string
  readonly issuer: string
  readonly find: ReturnType<typeof createLocalJWKSet>
  readonly readAtMs: number
}

export interface IssuerKeysOptions {
  readonly issuer: ThirdPartyIssuer
  readonly network: Pick<ProviderNetwork, 'getJson'>
  readonly clock: Clock
  readonly logger: Logger
}

/** The known keys of one issuer. */
interface KeysState {
  loaded: LoadedKeys | undefined
  reading: Promise<void> | undefined
  attemptedAtMs: number
  generation: number
}

/** Loads the keys in the background and refreshes them. Only requests that need a missing key wait. */
export function createIssuerKeys(options: IssuerKeysOptions): IssuerKeys {
  const { issuer, clock } = options
  const state: KeysState = { loaded: undefined, reading: undefined, attemptedAtMs: -Infinity, generation: 0 }
  const ageMs = (): number => (state.loaded ? clock.now() - state.loaded.readAtMs : Infinity)
  const refresh = (): Promise<void> | undefined => refreshKeys(state, options)
  void refresh()

  return {
    get generation() {
      return state.generation
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
      const known = await findLoaded(state.loaded, header)
      if (known) return known
      const again = refresh()
      if (again === undefined) return undefined
      await patiently(again)
      return findLoaded(state.loaded, header)
    },
  }
}

/** @returns `undefined` if the last attempt was too recent */
function refreshKeys(state: KeysState, options: IssuerKeysOptions): Promise<void> | undefined {
  const { issuer, clock, logger } = options
  if (state.reading) return state.reading
  const nowMs = clock.now()
  if (nowMs - state.attemptedAtMs < ISSUER_KEYS_PAUSE_MS) return undefined
  state.attemptedAtMs = nowMs
  state.reading = fetchKeys(options)
    .then(
      (next) => {
        if (next.text !== state.loaded?.text) state.generation += 1
        state.loaded = next
      },
      (error: unknown) => {
        const reason = errorMessage(error)
        logger.log('warn', 'the keys of a third-party issuer cannot be read', { issuer: issuer.url, error: reason })
      },
    )
    .finally(() => (state.reading = undefined))
  return state.reading
}

async function fetchKeys({ issuer, network, clock }: IssuerKeysOptions): Promise<LoadedKeys> {
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

async function findLoaded(loaded: LoadedKeys | undefined, header: JWSHeaderParameters): Promise<FoundKey | undefined> {
  if (!loaded) return undefined
  try {
    return { key: await loaded.find(header), issuer: loaded.issuer }
  } catch (error) {
    // Without a `kid`, several matching keys count as no match.
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

/** Waits for a refresh, but only for a limited time, so that an unresponsive host delays no request for long. The refresh continues. */
async function patiently(work: Promise<void> | undefined): Promise<void> {
  if (!work) return
  const patience = new AbortController()
  try {
    await Promise.race([work, delay(ISSUER_KEYS_WAIT_MS, patience.signal).catch(() => undefined)])
  } finally {
    patience.abort()
  }
}

/** The token could not be checked; the client may retry. */
function issuerUnavailable(issuer: string): HoldfastError {
  return new HoldfastError('issuer_unavailable', 503, `The keys of the issuer ${issuer} cannot be read at the moment`, {
    headers: { 'retry-after': '5' },
  })
}
