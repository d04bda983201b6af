import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { HoldfastError } from '@holdfast/foundation'
import type { Caller } from '@holdfast/http'
import { isConnectionLoss } from '@holdfast/postgres'
import { syncVocabulary, type Vocabulary } from './vocabulary.ts'

/** Claims of a verified token. */
export interface VerifiedClaims {
  readonly role?: string | undefined
  readonly sub?: string | undefined
  readonly exp?: number | undefined
  readonly [claim: string]: unknown
}

/** @throws {HoldfastError} `bad_jwt`, `token_expired`, `foreign_audience`, `token_role_refused`, `issuer_unavailable` */
export type VerifyToken = (token: string) => Promise<VerifiedClaims>

/** @throws {HoldfastError} `session_not_found`, `session_expired`, `user_banned` */
export type RequireSession = (claims: VerifiedClaims) => Promise<void>

export interface AuthenticateOptions {
  readonly verifyToken: VerifyToken
  /** Checks whether the session of a user's token is still alive, for services that require it. */
  readonly requireSession?: RequireSession | undefined
  /** The service's wording for an invalid token. */
  readonly vocabulary: Vocabulary
  /** Accepts an API key without a user's token, as Supabase's APIs do; sync requires a token. */
  readonly acceptsApiKey: boolean
  /** Uses the service's own wording for key errors instead of that of Supabase's gateway. */
  readonly refusesKeysItself?: boolean
  /** Treats a request without any key as one with the anon key. */
  readonly allowsNoKey?: boolean
  /** Role of callers whose token names none; empty refuses them. Default: `anon`. */
  readonly anonymousRole?: () => string
  /** Matches paths that need neither key nor token, such as published keys. */
  readonly isOpen?: (request: FastifyRequest) => boolean
  /** Matches paths that work without a user. They treat an invalid token as absent, so that a session can be refreshed. */
  readonly ignoresBadToken?: (request: FastifyRequest) => boolean
}

const NO_CLAIMS: VerifiedClaims = {}

/** Creates a token reader for a service that finds user tokens itself. */
export function callerReader(
  verifyToken: VerifyToken,
  requireSession: RequireSession,
): (token: string) => Promise<Caller> {
  return async (token) => {
    const claims = await verifyToken(token)
    await requireSession(claims)
    return { role: claims.role ?? 'anon', claims, userId: claims.sub, expiresAtS: claims.exp }
  }
}

/**
 * Creates the same for sync, which reads tokens in the first frame of a WebSocket.
 *
 * @returns a function of a text like the header `authorization`; it throws refusals in sync's wording
 */
export function syncCallerReader(
  verifyToken: VerifyToken,
  requireSession: RequireSession,
): (authorization: string) => Promise<Caller> {
  const options = { verifyToken, requireSession, vocabulary: syncVocabulary, acceptsApiKey: false }
  return async (authorization) => {
    const token = readBearer(authorization, true)
    if (!token) throw syncVocabulary.tokenMissing()
    return verifyBearer(token, undefined, options)
  }
}

/** Caller without valid credentials, where none are required. */
const KEYLESS: Caller = {
  role: 'anon',
  claims: { role: 'anon' },
  userId: undefined,
  expiresAtS: undefined,
  isKeyless: true,
}

/** Why a key is rejected, as the response body. */
interface KeyRefusal {
  readonly message: string
  readonly hint: string
}

/** The exact response of Supabase's gateway. */
const NO_KEY = {
  message: 'No API key found in request',
  hint: 'No `apikey` request header or url param was found.',
}
const WRONG_KEY: KeyRefusal = {
  message: 'Invalid authentication credentials',
  hint: 'Double check the API key that the client sends as `apikey`.',
}

/** Secret keys are refused in URLs, which browsers, proxies and logs keep. Browser WebSockets can send keys only there; channels read theirs themselves. */
const KEY_IN_ADDRESS = {
  message: 'A service key is not accepted in an address',
  hint: 'Send it in the header `apikey`, and replace a key that has been in addresses: they are kept in logs.',
}

/** Creates the hook that identifies the caller. The only reader of tokens; later code uses `request.caller`. */
export function authenticate(options: AuthenticateOptions): onRequestAsyncHookHandler {
  return async (request, reply) => {
    if (options.isOpen?.(request)) {
      request.caller = options.refusesKeysItself ? KEYLESS : toCaller(NO_CLAIMS, options)
      return
    }
    const fromHeader = readKeyHeader(request)
    const apiKey = options.acceptsApiKey ? (fromHeader ?? readKeyInAddress(request)) : undefined
    const bearer = readBearer(request.headers.authorization, !options.acceptsApiKey)
    if (bearer === '' && options.vocabulary.tokenEmpty) throw options.vocabulary.tokenEmpty()
    if (apiKey === undefined && !bearer) {
      if (!options.acceptsApiKey) throw options.vocabulary.tokenMissing()
      if (options.allowsNoKey) request.caller = toCaller(NO_CLAIMS, options)
      else if (!options.refusesKeysItself) return reply.code(401).send(NO_KEY)
      else request.caller = keyless(request, options)
      return undefined
    }
    const keyCaller = await verifyApiKey(apiKey, options)
    if (keyCaller && 'hint' in keyCaller) {
      if (!options.refusesKeysItself) return reply.code(401).send(keyCaller)
      request.caller = keyless(request, options)
      return undefined
    }
    if (fromHeader === undefined && keyCaller !== undefined && OPERATORS.has(keyCaller.role)) {
      return reply.code(401).send(KEY_IN_ADDRESS)
    }
    request.caller =
      !bearer || bearer === apiKey
        ? (keyCaller ?? toCaller(NO_CLAIMS, options))
        : await verifyBearer(bearer, request, options)
    return undefined
  }
}

/** Handles missing or invalid keys where the service decides what that means. */
function keyless(request: FastifyRequest, options: AuthenticateOptions): Caller {
  if (options.ignoresBadToken?.(request)) return KEYLESS
  throw options.vocabulary.tokenMissing()
}

/** Roles of operators' keys. */
const OPERATORS = new Set(['service_role', 'supabase_admin'])

/** Returns whether the request has an operator's key. A user's token does not count, whatever its role; nor does an unverifiable key. */
export async function isOperator(request: FastifyRequest, verifyToken: VerifyToken): Promise<boolean> {
  for (const token of [readBearer(request.headers.authorization, true), readKeyHeader(request)]) {
    if (token && (await isOperatorKey(token, verifyToken))) return true
  }
  return false
}

/** Returns whether a text is an operator's key. */
export async function isOperatorKey(token: string, verifyToken: VerifyToken): Promise<boolean> {
  const claims = await verifyToken(token).catch(() => undefined)
  return claims?.role !== undefined && claims.sub === undefined && OPERATORS.has(claims.role)
}

async function verifyApiKey(
  apiKey: string | undefined,
  options: AuthenticateOptions,
): Promise<Caller | KeyRefusal | undefined> {
  if (apiKey === undefined) return undefined
  try {
    const caller = toCaller(await options.verifyToken(apiKey), options)
    // A key is identified by its signature and role. A token that names a user is not a key.
    return caller.userId === undefined && caller.claims['role'] !== undefined ? caller : WRONG_KEY
  } catch (error) {
    if (error instanceof HoldfastError && error.code === 'token_role_refused')
      return { message: WRONG_KEY.message, hint: error.message }
    if (error instanceof HoldfastError && error.status < 500) return WRONG_KEY
    throw error
  }
}

/** @param request - `undefined` where no request ignores a bad token */
async function verifyBearer(
  token: string,
  request: FastifyRequest | undefined,
  options: AuthenticateOptions,
): Promise<Caller> {
  try {
    const claims = await options.verifyToken(token)
    await options.requireSession?.(claims)
    return toCaller(claims, options)
  } catch (error) {
    if (isConnectionLoss(error)) throw options.vocabulary.unavailable()
    if (error instanceof HoldfastError && error.code === 'issuer_unavailable') {
      throw options.vocabulary.issuerUnavailable(error)
    }
    if (!(error instanceof HoldfastError) || error.status >= 500) throw error
    if (request && options.ignoresBadToken?.(request))
      return options.refusesKeysItself ? KEYLESS : toCaller(NO_CLAIMS, options)
    throw refusalOf(error, token, options.vocabulary)
  }
}

function refusalOf(error: HoldfastError, token: string, vocabulary: Vocabulary): HoldfastError {
  switch (error.code) {
    case 'token_expired':
      return vocabulary.tokenExpired(error)
    case 'session_not_found':
    case 'session_expired':
    case 'user_banned':
      return vocabulary.sessionEnded(error)
    case 'token_role_refused':
      return vocabulary.roleRefused(error)
    case 'foreign_audience':
      return vocabulary.tokenForOthers(error)
    default:
      return vocabulary.tokenInvalid(error, token)
  }
}

function toCaller(claims: VerifiedClaims, { anonymousRole, vocabulary }: AuthenticateOptions): Caller {
  const role = claims.role ?? anonymousRole?.() ?? 'anon'
  if (role === '') throw vocabulary.tokenMissing()
  return { role, claims, userId: claims.sub, expiresAtS: claims.exp }
}

function readKeyHeader({ headers }: FastifyRequest): string | undefined {
  const header = headers['apikey']
  return typeof header === 'string' && header !== '' ? header : undefined
}

function readKeyInAddress(request: FastifyRequest): string | undefined {
  const query = (request.query as Readonly<Record<string, unknown>> | undefined)?.['apikey']
  return typeof query === 'string' && query !== '' ? query : undefined
}

/**
 * Reads the token. PowerSync's clients send `Token`, all others `Bearer`.
 *
 * @returns the rest of the header, empty if it has only the scheme; `undefined` without either scheme
 */
function readBearer(authorization: string | undefined, acceptsTokenScheme: boolean): string | undefined {
  const match = /^(bearer|token)(?:\s+(.*))?$/i.exec(authorization ?? '')
  if (!match || (match[1]?.toLowerCase() === 'token' && !acceptsTokenScheme)) return undefined
  return match[2]?.trim() ?? ''
}
