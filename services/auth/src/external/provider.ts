import type { JsonObject } from '@holdfast/foundation'
import type { AuthorizationServer } from 'oauth4webapi'
import type { ExternalProfile } from './profile.ts'
import type { ProviderNetwork } from './provider-network.ts'

/** The client registered with a provider. */
export interface ProviderClient {
  /** Value of `auth.identities.provider`: a built-in name such as `github`, or `custom:…`. */
  readonly name: string
  readonly clientId: string
  /** Client ids accepted as the audience of ID tokens, including the one above. */
  readonly audiences: readonly string[]
  readonly clientSecret: string
  readonly redirectUri: string
  readonly emailOptional: boolean
  readonly skipNonceCheck: boolean
}

/** Settings of a built-in provider. */
export interface BuiltInSettings extends ProviderClient {
  /** The provider's address without a trailing slash, if not the public one. */
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

/** A way to sign in with an external account: the redirect there, and reading the response. */
export interface ExternalProvider extends ProviderClient {
  readonly network: ProviderNetwork
  /** Always requested, in addition to the app's scopes. */
  readonly scopes: readonly string[]
  /** Whether the app's scopes replace {@link scopes}. */
  readonly replacesScopes?: boolean
  /** Sent with every authorization request. */
  readonly parameters: Readonly<Record<string, string>>
  readonly usesPkce: boolean
  /** How the client secret is sent: in the body, or in a header with the body as fallback, as the specification prefers. */
  readonly clientAuthentication: 'post' | 'basic'
  /** @throws {Error} if the provider's metadata cannot be read */
  readServer(): Promise<AuthorizationServer>
  /**
   * Returns the possible signer of a token claiming this issuer.
   *
   * @returns `undefined` if the issuer is not this provider's
   */
  readonly findIssuer?: (claimed: string) => Promise<IdTokenIssuer | undefined>
  /** @throws {Error} if the provider is unreachable or does not name the user */
  readProfile(grant: ProviderGrant): Promise<ExternalProfile>
}

/** Creates a built-in provider from its settings. */
export type BuiltInProvider = (settings: BuiltInSettings, discover: Discover) => ExternalProvider

/**
 * Reads an OpenID provider's discovery document. The result is cached for a while.
 *
 * @param issuer - the issuer that the document must name
 * @param address - of the document, if not the standard one
 * @throws {Error} if it cannot be read or names another issuer
 */
export type Discover = (network: ProviderNetwork, issuer: string, address?: string) => Promise<AuthorizationServer>
