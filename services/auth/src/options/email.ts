import { flag, integer, type OptionDeclaration, type OptionDeclarations, text } from '@holdfast/foundation'

/** Mails with customizable templates, with the wording of their descriptions. */
const MAILS = {
  Confirmation: 'that confirms a new address',
  Recovery: 'that recovers an account',
  MagicLink: 'with a link to sign in',
  Invite: 'that invites a user',
  EmailChange: 'that confirms a change of address',
  Reauthentication: 'with a code to prove oneself again',
  WorkspaceInvitation: 'that asks somebody to join a workspace',
}

type TemplateOptions = Readonly<
  Record<
    `emailTemplate${keyof typeof MAILS}${'Subject' | 'ContentPath'}`,
    { readonly type: 'string'; readonly description: string }
  >
>

const templateOptions = Object.fromEntries(
  Object.entries(MAILS).flatMap(([name, mail]): [string, OptionDeclaration][] => [
    [`emailTemplate${name}Subject`, { type: 'string', description: `The subject of the mail ${mail}.` }],
    [`emailTemplate${name}ContentPath`, { type: 'string', description: `A file with the HTML of the mail ${mail}.` }],
  ]),
) as unknown as TemplateOptions

/** Mail and sign-in by mail. */
export const emailOptions = {
  emailEnableSignup: flag('Whether people may sign up and in with an e-mail address.', { default: true }),
  emailEnableConfirmations: flag('Whether a new e-mail address has to be confirmed by a mail before it counts.', {
    default: false,
  }),
  emailDoubleConfirmChanges: flag('Whether a change of address is confirmed from the old and the new address.', {
    default: true,
  }),
  emailSecurePasswordChange: flag(
    'Whether a new password needs a code from a mail when the sign-in is older than a day.',
    { default: false },
  ),
  emailMaxFrequency: integer('The least time between two mails of a kind to one person, in seconds.', {
    default: 1,
    min: 0,
    max: 86400,
  }),
  emailOtpLength: integer('The digits of a code in a mail.', { default: 6, min: 6, max: 10 }),
  emailOtpExpiry: integer('How long a code or link in a mail is good for, in seconds.', {
    default: 3600,
    min: 60,
    max: 86400,
  }),
  emailSmtpHost: text('The mail server. Without one, mails are kept in the captured mailbox.'),
  emailSmtpPort: integer('The port of the mail server; 465 speaks TLS from the start.', {
    default: 587,
    min: 1,
    max: 65535,
  }),
  emailSmtpUser: text('The account at the mail server.'),
  emailSmtpPass: text('The password at the mail server.', { secret: true }),
  emailSmtpAdminEmail: text('The address that mails come from.', { default: 'noreply@localhost' }),
  emailSmtpSenderName: text('The name that mails come from. Default: the name of the project.'),
  ...templateOptions,
} satisfies OptionDeclarations
