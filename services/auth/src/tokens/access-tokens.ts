import { SignJWT } from 'jose'
import { type Clock, HoldfastError } from '@holdfast/foundation'
import type { Transaction } from '@holdfast/postgres'
import { hookFailed } from '../hooks/errors.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { TOKEN_BYTES_MAX } from '../limits.ts'
import type { WithOptions } from '../options/auth-options.ts'
import type { UserRow } from '../users/user-row.ts'
import { isForAudience } from './check-claims.ts'
import {
  INSPECTION_CLAIM,
  type AccessTokenClaims,
  type AuthenticationMethod,
  type AuthenticationMethodName,
} from './claims.ts'
import { readCustomClaims } from './custom-claims.ts'
import type { SigningKeys } from './signing-keys.ts'

export interface AccessToken {
  readonly accessToken: string
  /** Seconds since the epoch. */
  readonly expiresAtS: number
  readonly expiresInS: number
}

export interface AccessTokenInput {
  readonly user: UserRow
  readonly sessionId: string
  readonly aal: string
  readonly amr: readonly AuthenticationMethod[]
  /** Authentication method of this sign-in, for the hook. */
  readonly method: AuthenticationMethodName
  /** For a session granted to another app: the app and its scopes. */
  readonly oauthClientId?: string | null | undefined
  readonly scopes?: string | null | undefined
  /** Client address, for the hook. */
  readonly address?: string | undefined
  /** Default: the setting `jwtExpiry`. */
  readonly lifetimeS?: number | undefined
  /** End of the session, which the token does not outlive. */
  readonly notAfter?: Date | null | undefined
  /** For an operator; see {@link INSPECTION_CLAIM}. */
  readonly isInspection?: boolean
}

/** Signs access tokens. */
export interface AccessTokens {
  /**
   * Signs an access token for a session, after running the `custom_access_token` hook.
   *
   * @throws {HoldfastError} `unexpected_failure` if the metadata or the hook makes the token too long for services, or the hook returns
   * invalid claims; the hook's refusal
   */
  issue(tx: Transaction, input: AccessTokenInput): Promise<AccessToken>
}

export function createAccessTokens(
  needs: WithOptions<'jwtExpiry' | 'jwtAudiences'> & {
    readonly keys: SigningKeys
    readonly issuer: string
    readonly hooks: Hooks
    readonly clock: Clock
  },
): AccessTokens {
  const { keys, issuer, hooks, clock, options } = needs
  return {
    async issue(tx, input) {
      const { user } = input
      const issuedAtS = Math.floor(clock.now() / 1000)
      const leftS = input.notAfter ? Math.floor(input.notAfter.getTime() / 1000) - issuedAtS : Infinity
      const expiresInS = Math.min(input.lifetimeS ?? options.jwtExpiry, Math.max(1, leftS))
      const claims: AccessTokenClaims = {
        iss: issuer,
        sub: user.id,
        aud: audienceOf(user, options.jwtAudiences),
        exp: issuedAtS + expiresInS,
        iat: issuedAtS,
        email: user.email ?? '',
        phone: user.phone ?? '',
        app_metadata: user.raw_app_meta_data ?? {},
        user_metadata: user.raw_user_meta_data ?? {},
        role: user.role || 'authenticated',
        aal: input.aal,
        amr: input.amr,
        session_id: input.sessionId,
        is_anonymous: user.is_anonymous,
        ...(input.oauthClientId ? { client_id: input.oauthClientId } : {}),
        ...(input.scopes ? { scope: input.scopes } : {}),
      }
      const asked = { user_id: user.id, claims, authentication_method: input.method }
      const answer = await hooks.run(tx, 'custom_access_token', asked, input.address)
      const final = answer === undefined ? claims : readCustomClaims(answer)
      if (!isForAudience(final['aud'], options.jwtAudiences)) throw unusableAudience(final['aud'])
      const { kid, algorithm, privateKey } = keys.current
      const accessToken = await new SignJWT({ ...final, ...(input.isInspection ? { [INSPECTION_CLAIM]: true } : {}) })
        .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
        .sign(privateKey)
      if (accessToken.length > TOKEN_BYTES_MAX) {
        throw new HoldfastError('unexpected_failure', 500, 'The access token of this user would be too long', {
          hint: 'Make the metadata of the user smaller.',
        })
      }
      return { accessToken, expiresAtS: claims.exp, expiresInS }
    },
  }
}

/** Returns the account's audience if this server accepts it. Imported accounts may have another one. */
function audienceOf(user: UserRow, accepted: readonly string[]): string {
  const own = user.aud || 'authenticated'
  return isForAudience(own, accepted) ? own : (accepted[0] ?? own)
}

/** Without this error the user would be signed in but rejected by every API. */
function unusableAudience(aud: unknown): HoldfastError {
  return hookFailed(
    `the custom_access_token hook set aud to ${JSON.stringify(aud)}, which this server does not accept: add it to jwtAudiences`,
  )
}
