import type { FastifyPluginAsync } from 'fastify'
import { type Clock, type Logger, silentLogger, systemClock } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
import { createInvitedAccount, type InvitedAccount } from './admin/invite-account.ts'
import { authRoutes, type AuthParts, composeAuth } from './compose.ts'
import { issueSignInKey } from './confirmations/issue-token.ts'
import { warnOfUnreadableSecrets } from './external/custom/warn-of-unreadable-secrets.ts'
import type { DescribedProvider } from './external/describe-providers.ts'
import { type MailState, readMailStates } from './messages/message-rows.ts'
import { type CapturedMessages, readCaptured } from './messages/captured-messages.ts'
import type { DescribedMail, OutgoingAutomationMail, OutgoingDigest, OutgoingInvitation } from './messages/messages.ts'
import { type AuthOptions, defaultAuthOptions } from './options/auth-options.ts'
import { discoveryRoutes } from './routes/oauth.ts'
import { bucketsInMemory, createRateLimiter, type RateLimiter, type RateLimiterOptions } from './rate-limits.ts'
import { bucketsInDatabase } from './shared-buckets.ts'
import { readThirdPartyIssuers } from './third-party/issuers.ts'
import { createThirdPartyTokens } from './third-party/verify-third-party.ts'
import { type ApiKeys, createOpaqueKeys, mintApiKeys } from './tokens/api-keys.ts'
import type { TokenClaims } from './tokens/claims.ts'
import { claimsOfUser, claimsOfSession, impersonate, type Impersonated, tokenOfUser } from './tokens/impersonate.ts'
import { importVerificationKeys, type SigningSecret } from './tokens/jwt-secret.ts'
import { openRefusedRoles } from './tokens/refused-roles.ts'
import { type Jwks, openSigningKeys, type SigningKeys } from './tokens/signing-keys.ts'
import { createTokenVerifier, type VerifyToken } from './tokens/verify-token.ts'

export interface OpenAuthOptions {
  /** Connected as the owner of schema `auth`. Stays open when the service closes. */
  readonly pool: Pool
  /** Signs API keys, and verifies tokens signed by the project's other servers. */
  readonly jwtSecret: SigningSecret
  /** Public URL of this server without a path, such as `http://127.0.0.1:54321`. */
  readonly baseUrl: string
  /** Display name in mails. */
  readonly projectName?: string
  /** Where other servers may have the same database: connections of its own with the rights of `pool`, to count rate limits for all of them. Default: counts in memory. */
  readonly limitsPool?: Pool
  /** Overrides of the declared defaults. */
  readonly options?: Partial<AuthOptions>
  /** When the installation was created, for a new database, so that its API keys stay the same. Default: now. */
  readonly bornAt?: Date | undefined
  readonly logger?: Logger
  readonly clock?: Clock
}

export interface AuthService extends AsyncDisposable {
  /** Mount at `/auth/v1`, behind a hook that sets `request.caller`. */
  readonly routes: FastifyPluginAsync
  /** Mount at the root: well-known URLs outside this API. */
  readonly discovery: FastifyPluginAsync
  /**
   * For REST and sync: verifies tokens of this server and third-party issuers.
   *
   * @throws {HoldfastError} `bad_jwt`, `token_expired`, `foreign_audience` or `token_role_refused`, all 401; `issuer_unavailable`, 503
   */
  readonly verifyToken: VerifyToken
  /** Returns whether verified claims come from a third-party issuer, whose users and sessions this service does not know. */
  isThirdParty(claims: Readonly<Record<string, unknown>>): boolean
  /** Returns whether the key that signed verified claims has been revoked since, for work that outlives a request. */
  isRevoked(claims: Readonly<Record<string, unknown>>): boolean
  /** Verifies tokens of this server for the auth API, which accepts roles that never run a statement. */
  readonly verifyAdminToken: VerifyToken
  /** API keys of this installation; always the same for the same database and secret. */
  readonly apiKeys: ApiKeys
  /** Captured messages; `undefined` if mails are sent. */
  readonly captured: CapturedMessages | undefined
  /** Creates a limiter that counts as those of this service do. */
  createRateLimiter(limit: RateLimiterOptions): RateLimiter
  /** The mail templates in force. */
  readonly mailTemplates: readonly DescribedMail[]
  /** Lists external providers and what they lack, without secrets. */
  describeProviders(): Promise<readonly DescribedProvider[]>
  /** Returns the public keys as published. */
  jwks(): Jwks
  /** For operators: creates a token of a user. `undefined` if there is no such account. */
  impersonate(who: string, lifetimeS: number): Promise<Impersonated | undefined>
  /** For operators: issues a key that signs an account in once within the lifetime. `undefined` if there is no such account. */
  issueSignInKey(email: string, lifetimeS: number): Promise<string | undefined>
  /** Queues a mail with a workspace invitation. */
  sendInvitation(invitation: OutgoingInvitation): Promise<void>
  /**
   * Creates an account for a user who has proved ownership of the address.
   *
   * @returns whether it was created; an existing account stays unchanged
   * @throws {HoldfastError} `weak_password`, `validation_failed`, hooks' refusals, and errors of the password check
   */
  createInvitedAccount(account: InvitedAccount): Promise<boolean>
  /** Queues a mail with a user's news. */
  sendDigest(digest: OutgoingDigest): Promise<void>
  /** Queues a mail of an automation, once for each id. */
  sendAutomationMail(mail: OutgoingAutomationMail): Promise<void>
  /** Reads what became of mails of automations. */
  mailStates(ids: readonly string[]): Promise<readonly MailState[]>
  /** Issues a token of a user for work that the server does in their absence, whether or not they are signed in. `undefined` without such an account. */
  tokenOfUser(userId: string, lifetimeS: number): Promise<string | undefined>
  /** Returns current claims of the user's newest session, for work in their absence. `undefined` if there is no such account. */
  claimsOfUser(userId: string): Promise<TokenClaims | undefined>
  /** Returns a session's current claims, for work in the user's absence. `undefined` if there is no such session. */
  claimsOfSession(userId: string, sessionId: string): Promise<TokenClaims | undefined>
}

/** Opens the GoTrue API. The tables of `migrations/` must exist. */
export async function openAuth(input: OpenAuthOptions): Promise<AuthService> {
  const { pool, jwtSecret, clock = systemClock, logger = silentLogger, projectName = 'Holdfast' } = input
  const options: AuthOptions = { ...defaultAuthOptions(), ...input.options }
  const keys = await openSigningKeys(pool, clock, logger, { path: options.signingKeysPath, bornAt: input.bornAt })
  const baseUrl = input.baseUrl.replace(/\/+$/, '')
  const secret = jwtSecret.signing
  const openBuckets = input.limitsPool ? bucketsInDatabase(input.limitsPool, clock) : bucketsInMemory(clock)
  const parts = composeAuth({ pool, clock, logger, options, keys, secret, baseUrl, projectName, openBuckets })
  const warned = warnOfUnreadableSecrets(parts)

  const roles = await openRefusedRoles(pool, logger)
  const rolesGeneration = (): number => roles.generation
  const thirdParty = createThirdPartyTokens({
    issuers: readThirdPartyIssuers(options, parts.issuer),
    isRefusedRole: roles.isRefusedToOthers,
    rolesGeneration,
    clock,
    logger,
  })
  const signedBy = new WeakMap<object, string>()
  const origin = { secret, issuedAtS: keys.bornAtS }
  const verifier = {
    keys,
    signedBy,
    secretKeys: await importVerificationKeys(jwtSecret.keys),
    claimsOfOpaqueKey: createOpaqueKeys(origin),
    audiences: options.jwtAudiences,
    expRequired: options.jwtExpRequired,
    rolesGeneration,
    clock,
  }
  const verifyOwn = createTokenVerifier({ ...verifier, isRefusedRole: roles.isRefused })
  return {
    routes: authRoutes(parts),
    discovery: discoveryRoutes(parts),
    verifyToken: (token) => thirdParty?.verify(token) ?? verifyOwn(token),
    isThirdParty: (claims) => thirdParty?.isTheirs(claims) ?? false,
    isRevoked: (claims) => isGone(keys, signedBy.get(claims)),
    verifyAdminToken: createTokenVerifier({
      ...verifier,
      isRefusedRole: (role) => roles.isRefused(role) && !options.jwtAdminRoles.includes(role),
    }),
    apiKeys: await mintApiKeys(origin),
    captured: parts.messages.capturesMails ? readCaptured(pool) : undefined,
    mailTemplates: parts.messages.templates,
    describeProviders: () => parts.providers.describe(),
    jwks: () => keys.jwks,
    createRateLimiter: (limit) => createRateLimiter(limit, openBuckets),
    ...callsForOthers(parts),
    async [Symbol.asyncDispose]() {
      await warned
      keys[Symbol.dispose]()
      roles[Symbol.dispose]()
      thirdParty?.[Symbol.dispose]()
      await parts.passwords[Symbol.asyncDispose]()
      await parts.messages[Symbol.asyncDispose]()
    },
  }
}

/** Returns whether a key that signed tokens is no longer published. */
function isGone(keys: SigningKeys, signer: string | undefined): boolean {
  return signer !== undefined && !keys.jwks.keys.some(({ kid }) => kid === signer)
}

/** Calls on behalf of absent users, or those without an account. */
function callsForOthers(
  parts: AuthParts,
): Pick<
  AuthService,
  | 'impersonate'
  | 'issueSignInKey'
  | 'claimsOfSession'
  | 'claimsOfUser'
  | 'sendInvitation'
  | 'sendDigest'
  | 'createInvitedAccount'
  | 'sendAutomationMail'
  | 'mailStates'
  | 'tokenOfUser'
> {
  const { pool, messages, hookedCalls } = parts
  return {
    impersonate: (who, lifetimeS) => impersonate(parts, who, lifetimeS),
    issueSignInKey: (email, lifetimeS) => issueSignInKey(parts, email, lifetimeS),
    claimsOfSession: (userId, sessionId) => hookedCalls.run(undefined, () => claimsOfSession(parts, userId, sessionId)),
    claimsOfUser: (userId) => hookedCalls.run(undefined, () => claimsOfUser(parts, userId)),
    tokenOfUser: (userId, lifetimeS) => hookedCalls.run(undefined, () => tokenOfUser(parts, userId, lifetimeS)),
    sendAutomationMail: (mail) => pool.transaction((tx) => messages.sendAutomationMail(tx, mail)),
    mailStates: (ids) => readMailStates(pool, ids),
    sendDigest: (digest) => pool.transaction((tx) => messages.sendDigest(tx, digest)),
    sendInvitation: (invitation) => pool.transaction((tx) => messages.sendInvitation(tx, invitation)),
    createInvitedAccount: (account) => createInvitedAccount(parts, account),
  }
}
