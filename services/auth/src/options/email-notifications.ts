import type { OptionDeclarations } from '@holdfast/foundation'

/** Mails that tell a user of a change to the account: `[auth.email.notification.*]` of Supabase's `config.toml`. */
export const emailNotificationOptions = {
  emailNotificationPasswordChangedEnabled: {
    type: 'boolean',
    default: false,
    description: 'Whether users get a mail when the password was changed.',
  },
  emailNotificationPasswordChangedSubject: {
    type: 'string',
    description: 'The subject of the mail that says that the password was changed.',
  },
  emailNotificationPasswordChangedContentPath: {
    type: 'string',
    description: 'A file with the HTML of the mail that says that the password was changed.',
  },
  emailNotificationEmailChangedEnabled: {
    type: 'boolean',
    default: false,
    description: 'Whether users get a mail when the email address was changed; it goes to the old address.',
  },
  emailNotificationEmailChangedSubject: {
    type: 'string',
    description: 'The subject of the mail that says that the email address was changed.',
  },
  emailNotificationEmailChangedContentPath: {
    type: 'string',
    description: 'A file with the HTML of the mail that says that the email address was changed.',
  },
  emailNotificationPhoneChangedEnabled: {
    type: 'boolean',
    default: false,
    description: 'Whether users get a mail when the phone number was changed.',
  },
  emailNotificationPhoneChangedSubject: {
    type: 'string',
    description: 'The subject of the mail that says that the phone number was changed.',
  },
  emailNotificationPhoneChangedContentPath: {
    type: 'string',
    description: 'A file with the HTML of the mail that says that the phone number was changed.',
  },
  emailNotificationIdentityLinkedEnabled: {
    type: 'boolean',
    default: false,
    description: 'Whether users get a mail when a way to sign in was linked to the account.',
  },
  emailNotificationIdentityLinkedSubject: {
    type: 'string',
    description: 'The subject of the mail that says that a way to sign in was linked to the account.',
  },
  emailNotificationIdentityLinkedContentPath: {
    type: 'string',
    description: 'A file with the HTML of the mail that says that a way to sign in was linked to the account.',
  },
  emailNotificationIdentityUnlinkedEnabled: {
    type: 'boolean',
    default: false,
    description: 'Whether users get a mail when a way to sign in was removed from the account.',
  },
  emailNotificationIdentityUnlinkedSubject: {
    type: 'string',
    description: 'The subject of the mail that says that a way to sign in was removed from the account.',
  },
  emailNotificationIdentityUnlinkedContentPath: {
    type: 'string',
    description: 'A file with the HTML of the mail that says that a way to sign in was removed from the account.',
  },
  emailNotificationMfaFactorEnrolledEnabled: {
    type: 'boolean',
    default: false,
    description: 'Whether users get a mail when a second factor was added.',
  },
  emailNotificationMfaFactorEnrolledSubject: {
    type: 'string',
    description: 'The subject of the mail that says that a second factor was added.',
  },
  emailNotificationMfaFactorEnrolledContentPath: {
    type: 'string',
    description: 'A file with the HTML of the mail that says that a second factor was added.',
  },
  emailNotificationMfaFactorUnenrolledEnabled: {
    type: 'boolean',
    default: false,
    description: 'Whether users get a mail when a second factor was removed.',
  },
  emailNotificationMfaFactorUnenrolledSubject: {
    type: 'string',
    description: 'The subject of the mail that says that a second factor was removed.',
  },
  emailNotificationMfaFactorUnenrolledContentPath: {
    type: 'string',
    description: 'A file with the HTML of the mail that says that a second factor was removed.',
  },
} satisfies OptionDeclarations
