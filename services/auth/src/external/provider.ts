import type { JsonObject } from '@holdfast/foundation'
import type { AuthorizationServer } from 'oauth4webapi'
import type { ExternalProfile } from './profile.ts'
import type { ProviderNetwork } from './provider-network.ts'

/** This app, as a provider knows it. */
export interface ProviderClient {
  /** `github`, or `custom:…` for one that an administrator made: what `auth.identities.provider` says. */
  readonly name: string
  readonly clientId: string
  /** Every client id that ID tokens may be made for; the one above among them. */
  readonly audiences: readonly string[]
  readonly clientSecret: string
  readonly redirectUri: string
  readonly emailOptional: boolean
  readonly skipNonceCheck: boolean
}

/** Settings of a built-in provider. */
export interface BuiltInSettings extends ProviderClient {
  /** The address of the provider, without a slash at the end, when it is not the public one. */
  readonly url: string | undefined
}

/** Result of a code exchange, or a submitted ID token. */
export interface ProviderGrant {
  /** `undefined` when only an ID token was sent. */
  readonly accessToken: string | undefined
  /** From a verified ID token. */
  readonly idToken: JsonObject | undefined
  /** Callback parameters sent with the code. */
  readonly callback: URLSearchParams
}

/** Issuer of ID tokens and location of its keys. */
export interface IdTokenIssuer {
  readonly issuer: string
  readonly jwksUri: string
}

/** One way to sign in with an account elsewhere: how people are sent there, and how the answer is read when they are back. */
export interface ExternalProvider extends ProviderClient {
  readonly network: ProviderNetwork
  /** Asked for always; what the app asks for comes on top. */
  readonly scopes: readonly string[]
  /** Whether the app's scopes take the place of {@link scopes}. */
  readonly replacesScopes?: boolean
  /** Sent along with every request for authorization. */
  readonly parameters: Readonly<Record<string, string>>
  readonly usesPkce: boolean
  /** How the secret is shown: in the body, or, as the specification prefers, in a header and only then in the body. */
  readonly clientAuthentication: 'post' | 'basic'
  /** @throws {Error} when the provider's description of itself cannot be read */
  readServer(): Promise<AuthorizationServer>
  /**
   * Returns the possible signer of a token claiming this issuer.
   *
   * @returns `undefined` if the issuer is not this provider's
   */
  readonly findIssuer?: (claimed: string) => Promise<IdTokenIssuer | undefined>
  /** @throws {Error} when the provider cannot be asked, or does not name the person */
  readProfile(grant: ProviderGrant): Promise<ExternalProfile>
}

/** Makes a provider that is built in out of its settings. */
export type BuiltInProvider = (settings: BuiltInSettings, discover: Discover) => ExternalProvider

/**
 * Reads how an OpenID provider describes itself. The answer is kept for a while.
 *
 * @param issuer - what the description has to name as its issuer
 * @param address - of the description, when it is not the standard one
 * @throws {Error} when it cannot be read, or describes another person
 */
export type Discover = (network: ProviderNetwork, issuer: string, address?: string) => Promise<AuthorizationServer>
