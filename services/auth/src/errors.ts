import { HoldfastError, refusal } from '@holdfast/foundation'

// Codes, statuses and messages are GoTrue's, because auth-js and its apps read them.

/** A rejected password with the violated rules, rendered as `weak_password.reasons`. */
export class WeakPasswordError extends HoldfastError {
  readonly reasons: readonly string[]

  constructor(message: string, reasons: readonly string[]) {
    super('weak_password', 422, message)
    this.reasons = reasons
  }
}

export const validationFailed = (message: string, status = 400): HoldfastError =>
  new HoldfastError('validation_failed', status, message)
/** Unknown user, missing password or wrong password; deliberately indistinguishable. */
export const invalidCredentials = refusal('invalid_credentials', 400, 'Invalid login credentials')
export const unsupportedGrantType = refusal('invalid_credentials', 400, 'unsupported_grant_type')
export const emailNotConfirmed = refusal('email_not_confirmed', 400, 'Email not confirmed')
export const phoneNotConfirmed = refusal('phone_not_confirmed', 400, 'Phone not confirmed')
/** @param status - 400 at sign-in, 403 for a user with an access token */
export const userBanned = (status: 400 | 403): HoldfastError =>
  new HoldfastError('user_banned', status, 'User is banned')
export const signUpDisabled = refusal('signup_disabled', 422, 'Signups not allowed for this instance')
export const phoneProviderDisabled = (action: 'signups' | 'logins'): HoldfastError =>
  new HoldfastError('phone_provider_disabled', action === 'signups' ? 400 : 422, `Phone ${action} are disabled`)
export const anonymousProviderDisabled = refusal('anonymous_provider_disabled', 422, 'Anonymous sign-ins are disabled')
export const userAlreadyExists = refusal('user_already_exists', 422, 'User already registered')
export const emailExists = refusal('email_exists', 422, 'A user with this email address has already been registered')
export const phoneExists = refusal('phone_exists', 422, 'A user with this phone number has already been registered')
export const samePassword = refusal('same_password', 422, 'New password should be different from the old password.')
export const insufficientAal = refusal(
  'insufficient_aal',
  401,
  'AAL2 session is required to update email or password when MFA is enabled.',
)
export const notAdmin = refusal('not_admin', 403, 'Updating app_metadata requires admin privileges')
export const userSsoManaged = refusal(
  'user_sso_managed',
  422,
  'Updating email, phone, password of a SSO account only possible via SSO',
)
export const noAuthorization = refusal('no_authorization', 401, 'This endpoint requires a valid Bearer token')
/** The token is valid but names no user. */
export const missingSubject = refusal('bad_jwt', 403, 'invalid claim: missing sub claim')
export const invalidClaim = (claim: 'sub' | 'session_id'): HoldfastError =>
  new HoldfastError('bad_jwt', 403, `invalid claim: ${claim} claim must be a UUID`)
export const userNotFound = refusal('user_not_found', 403, 'User from sub claim in JWT does not exist')
/** The token is still valid, but its session was signed out. */
export const sessionNotFound = refusal('session_not_found', 403, 'Session from session_id claim in JWT does not exist')
/** The token is still valid, but its session has expired. */
export const sessionExpired = refusal('session_expired', 403, 'Session has expired')
export const refreshTokenRequired = (): HoldfastError => validationFailed('refresh_token required')
export const refreshTokenNotFound = refusal(
  'refresh_token_not_found',
  400,
  'Invalid Refresh Token: Refresh Token Not Found',
)
/** The token was used too long ago for a second tab. Its session can no longer be refreshed. */
export const refreshTokenAlreadyUsed = refusal('refresh_token_already_used', 400, 'Invalid Refresh Token: Already Used')
/** The token was issued to another app, which may not do what only the user may do. */
export const notOwnClient = refusal(
  'insufficient_scope',
  403,
  'Apps that were granted access cannot change the account',
)

/** @param reason - as GoTrue puts it in parentheses */
export function refreshSessionExpired(reason?: 'Inactivity' | 'Revoked by Newer Login'): HoldfastError {
  const more = reason === undefined ? '' : ` (${reason})`
  return new HoldfastError('session_expired', 400, `Invalid Refresh Token: Session Expired${more}`)
}

/** The token names a session and a counter that this database does not have yet. */
export const refreshTokenFromElsewhere = (): HoldfastError =>
  validationFailed('Invalid Refresh Token: Not Issued By This Server')
/** The session does not exist or belongs to another user. */
export const noSuchSession = refusal('session_not_found', 404, 'There is no such session')
/** @param retryAfterS - seconds until the next attempt is accepted */
export const overRequestRateLimit = (retryAfterS: number): HoldfastError =>
  new HoldfastError('over_request_rate_limit', 429, 'Request rate limit reached', {
    headers: { 'retry-after': String(retryAfterS) },
  })
/** @param retryAfterS - seconds until the next mail may be requested */
export const overEmailSendRateLimit = (retryAfterS: number): HoldfastError =>
  new HoldfastError('over_email_send_rate_limit', 429, 'email rate limit exceeded', {
    headers: { 'retry-after': String(retryAfterS) },
  })
/** @param retryAfterS - seconds until the next text message may be requested */
export const overSmsSendRateLimit = (retryAfterS: number): HoldfastError =>
  new HoldfastError('over_sms_send_rate_limit', 429, 'SMS rate limit exceeded', {
    headers: { 'retry-after': String(retryAfterS) },
  })

/** The user repeated the request too soon. */
export function tooSoon(channel: 'mail' | 'sms', waitS: number): HoldfastError {
  const code = channel === 'mail' ? 'over_email_send_rate_limit' : 'over_sms_send_rate_limit'
  const message = `For security purposes, you can only request this after ${waitS} seconds.`
  return new HoldfastError(code, 429, message, { headers: { 'retry-after': String(waitS) } })
}

/** A trigger or constraint of the project rejected the new row. */
export const savingUserFailed = (cause: unknown): HoldfastError =>
  new HoldfastError('unexpected_failure', 500, 'Database error saving new user', { cause })
/** The token is not ours or was altered. The reason stays in `cause`, because it would only help forgers. */
export const badJwt = (cause?: unknown): HoldfastError =>
  new HoldfastError('bad_jwt', 401, 'invalid JWT: unable to parse or verify signature', { cause })

/** Problem with the claims of a validly signed token. */
export type ClaimProblem =
  | 'exp_missing'
  | 'exp_not_number'
  | 'nbf_not_number'
  | 'nbf_future'
  | 'iat_not_number'
  | 'iat_future'
  | 'aud_malformed'
/** The token is validly signed, but a registered claim is invalid. */
export const badClaim = (problem: ClaimProblem, what: string): HoldfastError =>
  new HoldfastError('bad_jwt', 401, `invalid JWT: ${what}`, { detail: problem })
/** The token is valid, but for another audience. The gateway renders this in the format of each API. */
export const foreignAudience = refusal('foreign_audience', 401, 'invalid JWT: the token is for another audience (aud)')
/**
 * The token is valid, but may not have its role. Does not reveal which roles exist. The gateway renders this in the format of each API.
 *
 * @param message - without double quotes, because it appears in a header
 */
export const roleRefused = (message = 'invalid JWT: tokens may not carry the role of this token'): HoldfastError =>
  new HoldfastError('token_role_refused', 401, message)
export const tokenExpired = refusal('token_expired', 401, 'JWT expired', { hint: 'Refresh the session and try again.' })

// Flows that leave the client and return

export const flowStateNotFound = (message: string): HoldfastError =>
  new HoldfastError('flow_state_not_found', 404, message)
export const flowStateExpired = refusal('flow_state_expired', 422, 'invalid flow state, flow state has expired')
export const badCodeVerifier = refusal(
  'bad_code_verifier',
  400,
  'code challenge does not match previously saved code verifier',
)

export function unstorableText(): HoldfastError {
  const message = 'The request has a character that text cannot hold, such as NUL or half of a surrogate pair'
  return new HoldfastError('validation_failed', 400, message)
}

export function numberTooLarge(): HoldfastError {
  const message =
    'The request has a number that a double-precision number cannot hold (the largest is about 1.8e308). Send it as a text.'
  return new HoldfastError('bad_json', 400, message)
}

/** An invalid setting that only this service can check. Prevents startup. */
export function optionInvalid(option: string, what: string, cause?: unknown): HoldfastError {
  return new HoldfastError('option_invalid', 500, `${option}: ${what}`, { cause })
}
