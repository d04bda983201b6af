import type { OptionDeclarations } from '@holdfast/foundation'

/** Mail, and signing in by it. */
export const emailOptions = {
  emailEnableSignup: {
    type: 'boolean',
    default: true,
    description: 'Whether people may sign up and in with an e-mail address.',
  },
  emailEnableConfirmations: {
    type: 'boolean',
    default: false,
    description: 'Whether a new e-mail address has to be confirmed by a mail before it counts.',
  },
  emailDoubleConfirmChanges: {
    type: 'boolean',
    default: true,
    description: 'Whether a change of address is confirmed from the old and the new address.',
  },
  emailSecurePasswordChange: {
    type: 'boolean',
    default: false,
    description: 'Whether a new password needs a code from a mail when the sign-in is older than a day.',
  },
  emailMaxFrequency: {
    type: 'integer',
    default: 1,
    min: 0,
    max: 86400,
    description: 'The least time between two mails of a kind to one person, in seconds.',
  },
  emailOtpLength: {
    type: 'integer',
    default: 6,
    min: 6,
    max: 10,
    description: 'The digits of a code in a mail.',
  },
  emailOtpExpiry: {
    type: 'integer',
    default: 3600,
    min: 60,
    max: 86400,
    description: 'How long a code or link in a mail is good for, in seconds.',
  },
  emailSmtpHost: {
    type: 'string',
    description: 'The mail server. Without one, mails are kept in the captured mailbox.',
  },
  emailSmtpPort: {
    type: 'integer',
    default: 587,
    min: 1,
    max: 65535,
    description: 'The port of the mail server; 465 speaks TLS from the start.',
  },
  emailSmtpUser: {
    type: 'string',
    description: 'The account at the mail server.',
  },
  emailSmtpPass: {
    type: 'string',
    secret: true,
    description: 'The password at the mail server.',
  },
  emailSmtpAdminEmail: {
    type: 'string',
    default: 'noreply@localhost',
    description: 'The address that mails come from.',
  },
  emailSmtpSenderName: {
    type: 'string',
    description: 'The name that mails come from. Default: the name of the project.',
  },
  emailTemplateConfirmationSubject: {
    type: 'string',
    description: 'The subject of the mail that confirms a new address.',
  },
  emailTemplateConfirmationContentPath: {
    type: 'string',
    description: 'A file with the HTML of the mail that confirms a new address.',
  },
  emailTemplateRecoverySubject: {
    type: 'string',
    description: 'The subject of the mail that recovers an account.',
  },
  emailTemplateRecoveryContentPath: {
    type: 'string',
    description: 'A file with the HTML of the mail that recovers an account.',
  },
  emailTemplateMagicLinkSubject: {
    type: 'string',
    description: 'The subject of the mail with a link to sign in.',
  },
  emailTemplateMagicLinkContentPath: {
    type: 'string',
    description: 'A file with the HTML of the mail with a link to sign in.',
  },
  emailTemplateInviteSubject: {
    type: 'string',
    description: 'The subject of the mail that invites a user.',
  },
  emailTemplateInviteContentPath: {
    type: 'string',
    description: 'A file with the HTML of the mail that invites a user.',
  },
  emailTemplateEmailChangeSubject: {
    type: 'string',
    description: 'The subject of the mail that confirms a change of address.',
  },
  emailTemplateEmailChangeContentPath: {
    type: 'string',
    description: 'A file with the HTML of the mail that confirms a change of address.',
  },
  emailTemplateReauthenticationSubject: {
    type: 'string',
    description: 'The subject of the mail with a code to prove oneself again.',
  },
  emailTemplateReauthenticationContentPath: {
    type: 'string',
    description: 'A file with the HTML of the mail with a code to prove oneself again.',
  },
  emailTemplateWorkspaceInvitationSubject: {
    type: 'string',
    description: 'The subject of the mail that asks somebody to join a workspace.',
  },
  emailTemplateWorkspaceInvitationContentPath: {
    type: 'string',
    description: 'A file with the HTML of the mail that asks somebody to join a workspace.',
  },
} satisfies OptionDeclarations
