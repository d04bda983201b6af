import { HoldfastError } from '@holdfast/foundation'

// Codes, statuses and messages are GoTrue's: auth-js and the apps written for it read them.

/** A refusal of a password with the rules it breaks, rendered as `weak_password.reasons`. */
export class WeakPasswordError extends HoldfastError {
  readonly reasons: readonly string[]

  constructor(message: string, reasons: readonly string[]) {
    super('weak_password', 422, message)
    this.reasons = reasons
  }
}

export function validationFailed(message: string, status = 400): HoldfastError {
  return new HoldfastError('validation_failed', status, message)
}

/** An unknown user, no password, or the wrong one. The three are not told apart, on purpose. */
export function invalidCredentials(): HoldfastError {
  return new HoldfastError('invalid_credentials', 400, 'Invalid login credentials')
}

export function unsupportedGrantType(): HoldfastError {
  return new HoldfastError('invalid_credentials', 400, 'unsupported_grant_type')
}

export function emailNotConfirmed(): HoldfastError {
  return new HoldfastError('email_not_confirmed', 400, 'Email not confirmed')
}

export function phoneNotConfirmed(): HoldfastError {
  return new HoldfastError('phone_not_confirmed', 400, 'Phone not confirmed')
}

/** @param status - 400 when signing in, 403 for a person who still holds an access token */
export function userBanned(status: 400 | 403): HoldfastError {
  return new HoldfastError('user_banned', status, 'User is banned')
}

export function signUpDisabled(): HoldfastError {
  return new HoldfastError('signup_disabled', 422, 'Signups not allowed for this instance')
}

export function phoneProviderDisabled(action: 'signups' | 'logins'): HoldfastError {
  return new HoldfastError('phone_provider_disabled', action === 'signups' ? 400 : 422, `Phone ${action} are disabled`)
}

export function anonymousProviderDisabled(): HoldfastError {
  return new HoldfastError('anonymous_provider_disabled', 422, 'Anonymous sign-ins are disabled')
}

export function userAlreadyExists(): HoldfastError {
  return new HoldfastError('user_already_exists', 422, 'User already registered')
}

export function emailExists(): HoldfastError {
  return new HoldfastError('email_exists', 422, 'A user with this email address has already been registered')
}

export function phoneExists(): HoldfastError {
  return new HoldfastError('phone_exists', 422, 'A user with this phone number has already been registered')
}

export function samePassword(): HoldfastError {
  return new HoldfastError('same_password', 422, 'New password should be different from the old password.')
}

export function insufficientAal(): HoldfastError {
  return new HoldfastError(
    'insufficient_aal',
    401,
    'AAL2 session is required to update email or password when MFA is enabled.',
  )
}

export function notAdmin(): HoldfastError {
  return new HoldfastError('not_admin', 403, 'Updating app_metadata requires admin privileges')
}

export function userSsoManaged(): HoldfastError {
  return new HoldfastError(
    'user_sso_managed',
    422,
    'Updating email, phone, password of a SSO account only possible via SSO',
  )
}

export function noAuthorization(): HoldfastError {
  return new HoldfastError('no_authorization', 401, 'This endpoint requires a valid Bearer token')
}

/** A token that is genuine, but does not name a person. */
export function missingSubject(): HoldfastError {
  return new HoldfastError('bad_jwt', 403, 'invalid claim: missing sub claim')
}

export function invalidClaim(claim: 'sub' | 'session_id'): HoldfastError {
  return new HoldfastError('bad_jwt', 403, `invalid claim: ${claim} claim must be a UUID`)
}

export function userNotFound(): HoldfastError {
  return new HoldfastError('user_not_found', 403, 'User from sub claim in JWT does not exist')
}

/** The token is still valid, but its session was signed out. */
export function sessionNotFound(): HoldfastError {
  return new HoldfastError('session_not_found', 403, 'Session from session_id claim in JWT does not exist')
}

/** The token is still valid, but its session was given an end that has passed. */
export function sessionExpired(): HoldfastError {
  return new HoldfastError('session_expired', 403, 'Session has expired')
}

export function refreshTokenRequired(): HoldfastError {
  return validationFailed('refresh_token required')
}

export function refreshTokenNotFound(): HoldfastError {
  return new HoldfastError('refresh_token_not_found', 400, 'Invalid Refresh Token: Refresh Token Not Found')
}

/** The token was used before, too long ago for a second tab; its session no longer refreshes. */
export function refreshTokenAlreadyUsed(): HoldfastError {
  return new HoldfastError('refresh_token_already_used', 400, 'Invalid Refresh Token: Already Used')
}

/** The token belongs to an app that the person signed in to, and asks for what only the person may do. */
export function notThePersonsOwnClient(): HoldfastError {
  return new HoldfastError('insufficient_scope', 403, 'Apps that were granted access cannot change the account')
}

/** @param reason - what GoTrue puts in brackets */
export function refreshSessionExpired(reason?: 'Inactivity' | 'Revoked by Newer Login'): HoldfastError {
  const more = reason === undefined ? '' : ` (${reason})`
  return new HoldfastError('session_expired', 400, `Invalid Refresh Token: Session Expired${more}`)
}

/** The token names a session and a number that this database has not come to. */
export function refreshTokenFromElsewhere(): HoldfastError {
  return validationFailed('Invalid Refresh Token: Not Issued By This Server')
}

/** Asked for by id, and not one of this person's. */
export function noSuchSession(): HoldfastError {
  return new HoldfastError('session_not_found', 404, 'There is no such session')
}

/** @param retryAfterS - when the next attempt will be let through */
export function overRequestRateLimit(retryAfterS: number): HoldfastError {
  return new HoldfastError('over_request_rate_limit', 429, 'Request rate limit reached', {
    headers: { 'retry-after': String(retryAfterS) },
  })
}

/** @param retryAfterS - when the next mail may be asked for */
export function overEmailSendRateLimit(retryAfterS: number): HoldfastError {
  return new HoldfastError('over_email_send_rate_limit', 429, 'email rate limit exceeded', {
    headers: { 'retry-after': String(retryAfterS) },
  })
}

/** @param retryAfterS - when the next text message may be asked for */
export function overSmsSendRateLimit(retryAfterS: number): HoldfastError {
  return new HoldfastError('over_sms_send_rate_limit', 429, 'SMS rate limit exceeded', {
    headers: { 'retry-after': String(retryAfterS) },
  })
}

/** The same person asked again too soon. */
export function tooSoon(channel: 'mail' | 'sms', waitS: number): HoldfastError {
  const code = channel === 'mail' ? 'over_email_send_rate_limit' : 'over_sms_send_rate_limit'
  const message = `For security purposes, you can only request this after ${waitS} seconds.`
  return new HoldfastError(code, 429, message, { headers: { 'retry-after': String(waitS) } })
}

/** A trigger or a constraint of the project refused the new row. */
export function savingUserFailed(cause: unknown): HoldfastError {
  return new HoldfastError('unexpected_failure', 500, 'Database error saving new user', { cause })
}

/** The token is not one of ours, or not as we made it. The reason stays in `cause`: it helps only who forges. */
export function badJwt(cause?: unknown): HoldfastError {
  return new HoldfastError('bad_jwt', 401, 'invalid JWT: unable to parse or verify signature', { cause })
}

/** The problem with the claims of a genuine token. */
export type ClaimProblem =
  | 'exp_missing'
  | 'exp_not_number'
  | 'nbf_not_number'
  | 'nbf_future'
  | 'iat_not_number'
  | 'iat_future'
  | 'aud_malformed'

/** The token is genuine, but a claim that every token may have is not as it should be. */
export function badClaim(problem: ClaimProblem, what: string): HoldfastError {
  return new HoldfastError('bad_jwt', 401, `invalid JWT: ${what}`, { detail: problem })
}

/** The token is genuine, but was issued for others. The gateway says so in the words of each API. */
export function foreignAudience(): HoldfastError {
  return new HoldfastError('foreign_audience', 401, 'invalid JWT: the token is for another audience (aud)')
}

/**
 * The token is genuine, but may not carry its role. Which roles there are is not told. The gateway says so in the words of each API.
 *
 * @param message - without double quotes: it stands in a header
 */
export function roleRefused(message = 'invalid JWT: tokens may not carry the role of this token'): HoldfastError {
  return new HoldfastError('token_role_refused', 401, message)
}

export function tokenExpired(): HoldfastError {
  return new HoldfastError('token_expired', 401, 'JWT expired', { hint: 'Refresh the session and try again.' })
}

// Flows that leave the client and come back

export function flowStateNotFound(message: string): HoldfastError {
  return new HoldfastError('flow_state_not_found', 404, message)
}

export function flowStateExpired(): HoldfastError {
  return new HoldfastError('flow_state_expired', 422, 'invalid flow state, flow state has expired')
}

export function badCodeVerifier(): HoldfastError {
  return new HoldfastError('bad_code_verifier', 400, 'code challenge does not match previously saved code verifier')
}

export function unstorableText(): HoldfastError {
  const message = 'The request has a character that text cannot hold, such as NUL or half of a surrogate pair'
  return new HoldfastError('validation_failed', 400, message)
}

export function numberTooLarge(): HoldfastError {
  const message =
    'The request has a number that a double-precision number cannot hold (the largest is about 1.8e308). Send it as a text.'
  return new HoldfastError('bad_json', 400, message)
}

/** A setting that only this service can judge. Refuses the start. */
export function optionInvalid(option: string, what: string, cause?: unknown): HoldfastError {
  return new HoldfastError('option_invalid', 500, `${option}: ${what}`, { cause })
}
