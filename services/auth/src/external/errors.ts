import { HoldfastError, refusal } from '@holdfast/foundation'
import { validationFailed } from '../errors.ts'

// Codes, statuses and messages are GoTrue's. Errors of the callback are passed in the redirect URL.

/** @param reason - in GoTrue's wording: `provider is not enabled` */
export const unsupportedProvider = (reason: string): HoldfastError =>
  validationFailed(`Unsupported provider: ${reason}`)
export const oauthProviderNotSupported = (reason: string): HoldfastError =>
  new HoldfastError('oauth_provider_not_supported', 400, `Unsupported provider: ${reason}`)
/** The provider or its discovery document could not be read. */
export const providerUnreachable = (name: string, cause: unknown): HoldfastError =>
  new HoldfastError('unexpected_failure', 503, `The provider ${name} cannot be reached`, {
    cause,
    headers: { 'retry-after': '5' },
  })
export const badOAuthState = (message: string): HoldfastError => new HoldfastError('bad_oauth_state', 400, message)
export const badOAuthCallback = (message: string, cause?: unknown): HoldfastError =>
  new HoldfastError('bad_oauth_callback', 400, message, { cause })
/** A state works once: it was used, or another request is using it. */
export const flowStateAlreadyUsed = refusal('flow_state_already_used', 400, 'State has already been used')
/** The provider refused the code. Only its first characters are shown. */
export const codeNotExchanged = (code: string, cause: unknown): HoldfastError =>
  new HoldfastError('unexpected_failure', 500, `Unable to exchange external code: ${code.slice(0, 4)}`, {
    cause,
  })
export const profileNotRead = (cause: unknown): HoldfastError =>
  new HoldfastError('unexpected_failure', 500, 'Error getting user profile from external provider', { cause })
export const noEmailFromProvider = refusal('unexpected_failure', 500, 'Error getting user email from external provider')
export const multipleAccounts = refusal(
  'unexpected_failure',
  500,
  'Multiple accounts with the same email address in the same linking domain detected: default',
)

/** @param mailSent - whether a confirmation mail was sent; otherwise only the provider can verify the address */
export function providerEmailNeedsVerification(provider: string, mailSent: boolean): HoldfastError {
  const advice = mailSent
    ? `A confirmation email has been sent to your ${provider} email`
    : `Verify the email with ${provider} in order to sign in`
  return new HoldfastError('provider_email_needs_verification', 422, `Unverified email with ${provider}. ${advice}`)
}

export const linkedEmailNotConfirmed = (provider: string): HoldfastError =>
  new HoldfastError(
    'email_not_confirmed',
    422,
    `Unverified email with ${provider}. A confirmation email has been sent to your ${provider} email`,
  )
/** Like `email_exists` elsewhere, but with GoTrue's status for linking. */
export const linkedEmailExists = refusal(
  'email_exists',
  400,
  'A user with this email address has already been registered',
)
export const linkingTargetNotFound = refusal('user_not_found', 422, 'Linking target user not found')
export const invitedUserNotFound = refusal('user_not_found', 404, 'User identified by token not found')
export const inviteNotFound = refusal('invite_not_found', 404, 'Invite not found')
export const invitedEmailDiffers = (): HoldfastError =>
  validationFailed('Invited email does not match emails from external provider')

// ID tokens. GoTrue sends these messages without a code; the codes here come from its list.

/** The reason stays in `cause`, because it would only help forgers. */
export const badIdToken = (cause?: unknown): HoldfastError =>
  new HoldfastError('bad_jwt', 400, 'Bad ID token', { cause })
export const unexpectedAudience = (audience: readonly string[]): HoldfastError =>
  new HoldfastError('unexpected_audience', 400, `Unacceptable audience in id_token: [${audience.join(' ')}]`)
export const nonceOnOneSide = (): HoldfastError =>
  validationFailed('Passed nonce and nonce in id_token should either both exist or not.')
export const nonceMismatch = refusal('bad_jwt', 400, 'Nonces mismatch')
export const providerDisabled = (message: string): HoldfastError => new HoldfastError('provider_disabled', 400, message)

// Custom providers

export const customProviderNotFound = refusal('custom_provider_not_found', 404, 'Custom OAuth provider not found')
export const customProviderExists = refusal(
  'conflict',
  400,
  'A custom OAuth provider with this identifier already exists',
)
export const tooManyCustomProviders = refusal(
  'over_custom_provider_quota',
  400,
  'Maximum number of custom OAuth/OIDC providers reached',
)
/** Sign-in with a wallet, which this server does not support. */
export const web3Disabled = refusal('web3_provider_disabled', 422, 'Web3 provider is disabled')
