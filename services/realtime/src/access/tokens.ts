import { HoldfastError, type Clock } from '@holdfast/foundation'
import { isConnectionLoss } from '@holdfast/postgres'
import { databaseAway, fieldsRequired, malformedToken, tokenExpired, tokenRefused, wrongSignature } from '../errors.ts'

/** Claims of a verified token. */
export type Claims = Readonly<Record<string, unknown>>

/** Token checks provided by the auth service. */
export interface TokenChecks {
  /** @throws {HoldfastError} `bad_jwt`, `token_expired` and others */
  readonly verifyToken: (token: string) => Promise<Claims>
  /** @throws {HoldfastError} if the token's session has ended or its account is banned */
  readonly requireSession: (claims: Claims) => Promise<void>
  /** Calls `onEnded` once if that happens later. */
  readonly watchSession: (claims: Claims, onEnded: (reason: HoldfastError) => void) => Disposable
}

/** A valid token and its identity. */
export interface Identity {
  readonly token: string
  readonly claims: Claims
  readonly role: string
  /** Seconds since the epoch; `undefined` for keys that do not expire. */
  readonly expiresAtS: number | undefined
}

export class Tokens {
  readonly #checks: TokenChecks
  readonly #clock: Clock

  constructor(checks: TokenChecks, clock: Clock) {
    this.#checks = checks
    this.#clock = clock
  }

  /** @throws {HoldfastError} with realtime-js's error codes */
  async identify(token: string): Promise<Identity> {
    try {
      const claims = await this.#checks.verifyToken(token)
      const { role, exp, sub } = claims
      // Project keys have a role and no subject. All others are user tokens, which must expire.
      if (typeof role !== 'string' || role === '' || (sub !== undefined && !Number.isInteger(exp)))
        throw fieldsRequired()
      await this.#checks.requireSession(claims)
      return { token, claims, role, expiresAtS: typeof exp === 'number' ? exp : undefined }
    } catch (error) {
      throw this.#inOwnWords(error, token)
    }
  }

  /** Calls `onEnded` once the token's session ends or its account is banned. */
  watch({ claims }: Identity, onEnded: (reason: HoldfastError) => void): Disposable {
    return this.#checks.watchSession(claims, (reason) => onEnded(tokenRefused(reason.message, reason)))
  }

  #inOwnWords(error: unknown, token: string): unknown {
    if (isConnectionLoss(error)) return databaseAway(error)
    if (!(error instanceof HoldfastError)) return error
    switch (error.code) {
      case 'InvalidJWTToken':
        return error
      case 'token_expired':
        return tokenExpired(this.#secondsSinceEnd(token), error)
      case 'bad_jwt':
        if (error.detail === 'exp_missing' || error.detail === 'exp_not_number') return fieldsRequired(error)
        return isReadable(token) ? wrongSignature(error) : malformedToken(error)
      case 'issuer_unavailable':
        return databaseAway(error)
      default:
        return tokenRefused(error.message, error)
    }
  }

  /** Expects a token with a valid signature. */
  #secondsSinceEnd(token: string): number {
    const exp = readClaims(token)?.['exp']
    return typeof exp === 'number' ? Math.max(0, Math.floor(this.#clock.now() / 1_000 - exp)) : 0
  }
}

/** Whether the text is a well-formed token; ignores the signature. */
function isReadable(token: string): boolean {
  return readClaims(token) !== undefined
}

function readClaims(token: string): Claims | undefined {
  const parts = token.split('.')
  if (parts.length !== 3) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Claims) : undefined
  } catch {
    return undefined
  }
}
