import { flag, integer, list, type OptionDeclarations, text } from '@holdfast/foundation'

/** Second factors and passkeys. */
export const mfaOptions = {
  mfaMaxEnrolledFactors: integer('Maximum factors per user.', { default: 10, min: 0, max: 100 }),
  mfaTotpEnrollEnabled: flag('Whether users may add an authenticator app.', { default: true }),
  mfaTotpVerifyEnabled: flag('Whether authenticator codes are accepted.', { default: true }),
  mfaSecretDecryptionKeys: list(
    'Keys with which an earlier GoTrue on this database encrypted factor secrets: `id=key`, the key in base64url.',
    { default: [], secret: true },
  ),
  mfaPhoneEnrollEnabled: flag('Whether users may add a phone as a second factor.', { default: false }),
  mfaPhoneVerifyEnabled: flag('Whether texted codes are accepted as a second factor.', { default: false }),
  mfaPhoneOtpLength: integer('Digits of such a code.', { default: 6, min: 6, max: 10 }),
  mfaPhoneTemplate: text('Text of the message with the code.', { default: 'Your code is {{ .Code }}' }),
  mfaPhoneMaxFrequency: integer('Minimum seconds between two messages to one phone.', {
    default: 5,
    min: 0,
    max: 86400,
  }),
  mfaWebAuthnEnrollEnabled: flag('Whether users may add a security key as a second factor.', { default: false }),
  mfaWebAuthnVerifyEnabled: flag('Whether security keys are accepted as a second factor.', { default: false }),
  mfaRecoveryCodesEnrollEnabled: flag('Whether users with a second factor may create recovery codes.', {
    default: true,
  }),
  mfaRecoveryCodesVerifyEnabled: flag('Whether recovery codes are accepted instead of a second factor.', {
    default: true,
  }),
  passkeyEnabled: flag('Whether users may sign in with a passkey.', { default: true }),
  webauthnRpId: text('Domain of passkeys and security keys. Default: the site’s host, or localhost.'),
  webauthnRpDisplayName: text('Name shown when a passkey is created. Default: the project name.'),
  webauthnRpOrigins: list(
    'Origins that may use passkeys and security keys. Default: the site, and localhost if the server is there.',
    { default: [] },
  ),
} satisfies OptionDeclarations
