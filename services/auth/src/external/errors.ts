import { HoldfastError } from '@holdfast/foundation'
import { validationFailed } from '../errors.ts'

// Codes, statuses and messages are GoTrue's. Those of the callback travel in the address that people are sent back to.

/** @param reason - as GoTrue words it: `provider is not enabled` */
export function unsupportedProvider(reason: string): HoldfastError {
  return validationFailed(`Unsupported provider: ${reason}`)
}

export function oauthProviderNotSupported(reason: string): HoldfastError {
  return new HoldfastError('oauth_provider_not_supported', 400, `Unsupported provider: ${reason}`)
}

/** The provider, or its description of itself, could not be read. */
export function providerUnreachable(name: string, cause: unknown): HoldfastError {
  return new HoldfastError('unexpected_failure', 503, `The provider ${name} cannot be reached`, {
    cause,
    headers: { 'retry-after': '5' },
  })
}

export function badOAuthState(message: string): HoldfastError {
  return new HoldfastError('bad_oauth_state', 400, message)
}

export function badOAuthCallback(message: string, cause?: unknown): HoldfastError {
  return new HoldfastError('bad_oauth_callback', 400, message, { cause })
}

/** A state is used once: it was, or another request is using it. */
export function flowStateAlreadyUsed(): HoldfastError {
  return new HoldfastError('flow_state_already_used', 400, 'State has already been used')
}

/** The code, which the provider would not exchange, is named by its first characters only. */
export function codeNotExchanged(code: string, cause: unknown): HoldfastError {
  return new HoldfastError('unexpected_failure', 500, `Unable to exchange external code: ${code.slice(0, 4)}`, {
    cause,
  })
}

export function profileNotRead(cause: unknown): HoldfastError {
  return new HoldfastError('unexpected_failure', 500, 'Error getting user profile from external provider', { cause })
}

export function noEmailFromProvider(): HoldfastError {
  return new HoldfastError('unexpected_failure', 500, 'Error getting user email from external provider')
}

export function multipleAccounts(): HoldfastError {
  return new HoldfastError(
    'unexpected_failure',
    500,
    'Multiple accounts with the same email address in the same linking domain detected: default',
  )
}

/** @param mailSent - whether a confirmation is on its way, or only the provider can help */
export function providerEmailNeedsVerification(provider: string, mailSent: boolean): HoldfastError {
  const advice = mailSent
    ? `A confirmation email has been sent to your ${provider} email`
    : `Verify the email with ${provider} in order to sign in`
  return new HoldfastError('provider_email_needs_verification', 422, `Unverified email with ${provider}. ${advice}`)
}

export function linkedEmailNotConfirmed(provider: string): HoldfastError {
  return new HoldfastError(
    'email_not_confirmed',
    422,
    `Unverified email with ${provider}. A confirmation email has been sent to your ${provider} email`,
  )
}

/** Like `email_exists` elsewhere, with the status that it has here in GoTrue. */
export function linkedEmailExists(): HoldfastError {
  return new HoldfastError('email_exists', 400, 'A user with this email address has already been registered')
}

export function linkingTargetNotFound(): HoldfastError {
  return new HoldfastError('user_not_found', 422, 'Linking target user not found')
}

export function invitedUserNotFound(): HoldfastError {
  return new HoldfastError('user_not_found', 404, 'User identified by token not found')
}

export function inviteNotFound(): HoldfastError {
  return new HoldfastError('invite_not_found', 404, 'Invite not found')
}

export function invitedEmailDiffers(): HoldfastError {
  return validationFailed('Invited email does not match emails from external provider')
}

// ID tokens. GoTrue gives these messages without a code; the codes are from the same list.

/** The reason stays in `cause`: it helps only who forges. */
export function badIdToken(cause?: unknown): HoldfastError {
  return new HoldfastError('bad_jwt', 400, 'Bad ID token', { cause })
}

export function unexpectedAudience(audience: readonly string[]): HoldfastError {
  return new HoldfastError('unexpected_audience', 400, `Unacceptable audience in id_token: [${audience.join(' ')}]`)
}

export function nonceOnOneSide(): HoldfastError {
  return validationFailed('Passed nonce and nonce in id_token should either both exist or not.')
}

export function nonceMismatch(): HoldfastError {
  return new HoldfastError('bad_jwt', 400, 'Nonces mismatch')
}

export function providerDisabled(message: string): HoldfastError {
  return new HoldfastError('provider_disabled', 400, message)
}

// Providers made by administrators

export function customProviderNotFound(): HoldfastError {
  return new HoldfastError('custom_provider_not_found', 404, 'Custom OAuth provider not found')
}

export function customProviderExists(): HoldfastError {
  return new HoldfastError('conflict', 400, 'A custom OAuth provider with this identifier already exists')
}

export function tooManyCustomProviders(): HoldfastError {
  return new HoldfastError('over_custom_provider_quota', 400, 'Maximum number of custom OAuth/OIDC providers reached')
}

/** Signing in with a wallet, which this server does not have. */
export function web3Disabled(): HoldfastError {
  return new HoldfastError('web3_provider_disabled', 422, 'Web3 provider is disabled')
}
