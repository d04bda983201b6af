import { flag, integer, list, type OptionDeclarations, text } from '@holdfast/foundation'

/** Second factors and passkeys. */
export const mfaOptions = {
  mfaMaxEnrolledFactors: integer('The factors that one person may have.', { default: 10, min: 0, max: 100 }),
  mfaTotpEnrollEnabled: flag('Whether people may add an authenticator app.', { default: true }),
  mfaTotpVerifyEnabled: flag('Whether codes of authenticator apps are accepted.', { default: true }),
  mfaSecretDecryptionKeys: list(
    'What a GoTrue that this database comes from encrypted secrets of factors with, as `id=key` with the key in base64url. Needed only where it did.',
    { default: [], secret: true },
  ),
  mfaPhoneEnrollEnabled: flag('Whether people may add a phone as a second factor.', { default: false }),
  mfaPhoneVerifyEnabled: flag('Whether codes sent to a phone are accepted as a second factor.', { default: false }),
  mfaPhoneOtpLength: integer('The digits of a code sent to a phone.', { default: 6, min: 6, max: 10 }),
  mfaPhoneTemplate: text('The text of the message with the code.', { default: 'Your code is {{ .Code }}' }),
  mfaPhoneMaxFrequency: integer('The least time between two messages to one phone, in seconds.', {
    default: 5,
    min: 0,
    max: 86400,
  }),
  mfaWebAuthnEnrollEnabled: flag('Whether people may add a security key as a second factor.', { default: false }),
  mfaWebAuthnVerifyEnabled: flag('Whether security keys are accepted as a second factor.', { default: false }),
  mfaRecoveryCodesEnrollEnabled: flag('Whether people with a second factor may get recovery codes.', { default: true }),
  mfaRecoveryCodesVerifyEnabled: flag('Whether recovery codes are accepted in place of a second factor.', {
    default: true,
  }),
  passkeyEnabled: flag('Whether people may sign in with a passkey.', { default: true }),
  webauthnRpId: text(
    'The domain that passkeys and security keys belong to. Default: the host of the site, or localhost.',
  ),
  webauthnRpDisplayName: text(
    'The name that the browser shows when a passkey is made. Default: the name of the project.',
  ),
  webauthnRpOrigins: list(
    'The origins whose pages may use passkeys and security keys. Default: the site, and localhost when the server is there.',
    { default: [] },
  ),
} satisfies OptionDeclarations
