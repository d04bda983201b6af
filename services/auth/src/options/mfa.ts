import type { OptionDeclarations } from '@holdfast/foundation'

/** Second factors and passkeys. */
export const mfaOptions = {
  mfaMaxEnrolledFactors: {
    type: 'integer',
    default: 10,
    min: 0,
    max: 100,
    description: 'The factors that one person may have.',
  },
  mfaTotpEnrollEnabled: {
    type: 'boolean',
    default: true,
    description: 'Whether people may add an authenticator app.',
  },
  mfaTotpVerifyEnabled: {
    type: 'boolean',
    default: true,
    description: 'Whether codes of authenticator apps are accepted.',
  },
  mfaSecretDecryptionKeys: {
    type: 'list',
    default: [],
    secret: true,
    description:
      'What a GoTrue that this database comes from encrypted secrets of factors with, as `id=key` with the key in base64url. Needed only where it did.',
  },
  mfaPhoneEnrollEnabled: {
    type: 'boolean',
    default: false,
    description: 'Whether people may add a phone as a second factor.',
  },
  mfaPhoneVerifyEnabled: {
    type: 'boolean',
    default: false,
    description: 'Whether codes sent to a phone are accepted as a second factor.',
  },
  mfaPhoneOtpLength: {
    type: 'integer',
    default: 6,
    min: 6,
    max: 10,
    description: 'The digits of a code sent to a phone.',
  },
  mfaPhoneTemplate: {
    type: 'string',
    default: 'Your code is {{ .Code }}',
    description: 'The text of the message with the code.',
  },
  mfaPhoneMaxFrequency: {
    type: 'integer',
    default: 5,
    min: 0,
    max: 86400,
    description: 'The least time between two messages to one phone, in seconds.',
  },
  mfaWebAuthnEnrollEnabled: {
    type: 'boolean',
    default: false,
    description: 'Whether people may add a security key as a second factor.',
  },
  mfaWebAuthnVerifyEnabled: {
    type: 'boolean',
    default: false,
    description: 'Whether security keys are accepted as a second factor.',
  },
  mfaRecoveryCodesEnrollEnabled: {
    type: 'boolean',
    default: true,
    description: 'Whether people with a second factor may get recovery codes.',
  },
  mfaRecoveryCodesVerifyEnabled: {
    type: 'boolean',
    default: true,
    description: 'Whether recovery codes are accepted in place of a second factor.',
  },
  passkeyEnabled: {
    type: 'boolean',
    default: true,
    description: 'Whether people may sign in with a passkey.',
  },
  webauthnRpId: {
    type: 'string',
    description: 'The domain that passkeys and security keys belong to. Default: the host of the site, or localhost.',
  },
  webauthnRpDisplayName: {
    type: 'string',
    description: 'The name that the browser shows when a passkey is made. Default: the name of the project.',
  },
  webauthnRpOrigins: {
    type: 'list',
    default: [],
    description:
      'The origins whose pages may use passkeys and security keys. Default: the site, and localhost when the server is there.',
  },
} satisfies OptionDeclarations
