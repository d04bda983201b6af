import { flag, integer, type OptionDeclaration, type OptionDeclarations, text } from '@holdfast/foundation'

/** Mails with customizable templates, with the wording of their descriptions. */
const MAILS = {
  Confirmation: 'that confirms a new address',
  Recovery: 'that recovers an account',
  MagicLink: 'with a link to sign in',
  Invite: 'that invites a user',
  EmailChange: 'that confirms a change of address',
  Reauthentication: 'with a code for reauthentication',
  WorkspaceInvitation: 'that invites a user to a workspace',
}

type TemplateOptions = Readonly<
  Record<
    `emailTemplate${keyof typeof MAILS}${'Subject' | 'ContentPath'}`,
    { readonly type: 'string'; readonly description: string }
  >
>

const templateOptions = Object.fromEntries(
  Object.entries(MAILS).flatMap(([name, mail]): [string, OptionDeclaration][] => [
    [`emailTemplate${name}Subject`, { type: 'string', description: `Subject of the mail ${mail}.` }],
    [`emailTemplate${name}ContentPath`, { type: 'string', description: `HTML file of the mail ${mail}.` }],
  ]),
) as unknown as TemplateOptions

/** Mail and sign-in by mail. */
export const emailOptions = {
  emailEnableSignup: flag('Whether users may sign up and in by email.', { default: true }),
  emailEnableConfirmations: flag('Whether a new email address must be confirmed.', {
    default: false,
  }),
  emailDoubleConfirmChanges: flag(
    'Whether changing the address requires confirmation from both the old and the new one.',
    {
      default: true,
    },
  ),
  emailSecurePasswordChange: flag(
    'Whether a new password requires an emailed code if the sign-in is older than a day.',
    { default: false },
  ),
  emailMaxFrequency: integer('Minimum seconds between two mails of a kind to one user.', {
    default: 1,
    min: 0,
    max: 86400,
  }),
  emailOtpLength: integer('Digits of an emailed code.', { default: 6, min: 6, max: 10 }),
  emailOtpExpiry: integer('Lifetime of an emailed code or link in seconds.', {
    default: 3600,
    min: 60,
    max: 86400,
  }),
  emailSmtpHost: text('Mail server. Without one, mails are captured in the mailbox.'),
  emailSmtpPort: integer('Port of the mail server; 465 uses TLS from the start.', {
    default: 587,
    min: 1,
    max: 65535,
  }),
  emailSmtpUser: text('User name at the mail server.'),
  emailSmtpPass: text('Password at the mail server.', { secret: true }),
  emailSmtpAdminEmail: text('Sender address of mails.', { default: 'noreply@localhost' }),
  emailSmtpSenderName: text('Sender name of mails. Default: the project name.'),
  ...templateOptions,
} satisfies OptionDeclarations
