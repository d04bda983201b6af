import { createHash, timingSafeEqual } from 'node:crypto'
import { HoldfastError, type JsonObject } from '@holdfast/foundation'
import { validationFailed } from '../errors.ts'
import { enterAccount, type EnterAccountNeeds } from '../external/enter-account.ts'
import {
  nonceMismatch,
  nonceOnOneSide,
  profileNotRead,
  providerDisabled,
  providerUnreachable,
} from '../external/errors.ts'
import { readIssuer } from '../external/id-token.ts'
import { linkIdentity, type LinkIdentityNeeds } from '../external/link-identity.ts'
import type { ExternalProfile } from '../external/profile.ts'
import type { ExternalProvider } from '../external/provider.ts'
import type { Providers } from '../external/providers.ts'
import { PROVIDER_NAMES } from '../options/providers.ts'
import type { SignedIn } from '../sessions/render-session.ts'
import type { RequestOrigin } from '../sessions/session-row.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { retryIfTaken } from '../sign-up/create-user.ts'
import { isoNow, type Store } from '../store.ts'

export type GrantByIdTokenNeeds = Store &
  EnterAccountNeeds &
  LinkIdentityNeeds & { readonly providers: Providers; readonly sessions: Sessions }

export interface IdTokenGrantInput {
  readonly idToken: string
  /** The provider's access token, checked against `at_hash` if the ID token has one. */
  readonly accessToken: string
  /** As created by the app; the token contains its hash. */
  readonly nonce: string
  readonly provider: string
  readonly issuer: string
  readonly clientId: string
  /** User to link the identity to, if requested by the app. */
  readonly linkTo: string | undefined
  readonly redirectTo: string
  readonly origin: RequestOrigin
}

/**
 * Signs in with an ID token that the app obtained from a provider, or links its identity.
 *
 * @throws {HoldfastError} `validation_failed`, `provider_disabled`, `bad_jwt`, `unexpected_audience`, and the errors of entering an
 * account or linking an identity
 */
export async function grantByIdToken(needs: GrantByIdTokenNeeds, input: IdTokenGrantInput): Promise<SignedIn> {
  const { providers } = needs
  const { idToken, accessToken } = input
  if (idToken === '') throw validationFailed('id_token required')
  if (input.provider === '' && (input.clientId === '' || input.issuer === '')) {
    throw validationFailed('provider or client_id and issuer required')
  }
  const provider = await findProvider(providers, input)
  const claims = await providers.verifyIdToken(provider, idToken, accessToken || undefined)
  if (!provider.skipNonceCheck) checkNonce(input.nonce, claims['nonce'])
  const profile = await readProfile(provider, claims)
  const outcome = await retryIfTaken(() => enter(needs, { ...input, provider, profile }))
  if (outcome instanceof HoldfastError) throw outcome
  return outcome
}

/** Returns refusals instead of throwing them, so that written rows are kept. */
function enter(
  needs: GrantByIdTokenNeeds,
  input: Omit<IdTokenGrantInput, 'provider'> & {
    readonly provider: ExternalProvider
    readonly profile: ExternalProfile
  },
): Promise<SignedIn | HoldfastError> {
  const { pool, clock, sessions } = needs
  const { provider, profile, origin, redirectTo, linkTo } = input
  const now = isoNow(clock)
  return pool.transaction(async (tx) => {
    const person = { provider, profile, origin, redirectTo, now }
    const { userId, refusal } =
      linkTo === undefined
        ? await enterAccount(needs, tx, person)
        : await linkIdentity(needs, tx, { ...person, targetUserId: linkTo })
    return refusal ?? sessions.start(tx, { userId, method: 'oauth', origin, now })
  })
}

async function findProvider(providers: Providers, input: IdTokenGrantInput): Promise<ExternalProvider> {
  const { provider: name, issuer } = input
  if (name.startsWith('custom:')) {
    const provider = await providers.find(name)
    if (!('missing' in provider)) {
      if (provider.findIssuer) return provider
      throw validationFailed(`Provider ${JSON.stringify(name)} is not an OIDC provider`)
    }
    if (provider.missing === 'disabled') throw providerDisabled(`Custom provider ${JSON.stringify(name)} is disabled`)
    throw validationFailed(`Custom provider ${JSON.stringify(name)} not found`)
  }
  const found = name === '' ? await findByIssuer(providers, issuer) : await providers.find(name)
  if (found === undefined) throw notAllowed(name)
  if (!('missing' in found)) {
    if (found.findIssuer) return found
    throw notAllowed(name)
  }
  if (!SIGNING.has(name)) throw notAllowed(name)
  throw providerDisabled(`Provider (issuer ${JSON.stringify(readIssuer(input.idToken))}) is not enabled`)
}

/** Built-in providers that sign ID tokens. */
const SIGNING: ReadonlySet<string> = new Set(['apple', 'azure', 'google', 'keycloak'])

async function findByIssuer(providers: Providers, issuer: string): Promise<ExternalProvider | undefined> {
  for (const name of PROVIDER_NAMES) {
    if (!providers.enabled.has(name)) continue
    const provider = await providers.find(name)
    if (!('missing' in provider) && (await isIssuerOf(provider, issuer))) return provider
  }
  return undefined
}

async function isIssuerOf(provider: ExternalProvider, issuer: string): Promise<boolean> {
  try {
    return (await provider.findIssuer?.(issuer)) !== undefined
  } catch (error) {
    throw providerUnreachable(provider.name, error)
  }
}

function notAllowed(name: string): HoldfastError {
  return validationFailed(`Custom OIDC provider ${JSON.stringify(name)} not allowed`)
}

/** Compares the nonce with the hash in the token. An intercepted token is useless without the nonce. */
function checkNonce(given: string, hashed: unknown): void {
  const expected = typeof hashed === 'string' ? hashed : ''
  if ((expected === '') !== (given === '')) throw nonceOnOneSide()
  if (expected === '') return
  const left = Buffer.from(createHash('sha256').update(given).digest('hex'))
  const right = Buffer.from(expected)
  if (left.length !== right.length || !timingSafeEqual(left, right)) throw nonceMismatch()
}

async function readProfile(provider: ExternalProvider, idToken: JsonObject): Promise<ExternalProfile> {
  try {
    return await provider.readProfile({ accessToken: undefined, idToken, callback: new URLSearchParams() })
  } catch (error) {
    throw profileNotRead(error)
  }
}
