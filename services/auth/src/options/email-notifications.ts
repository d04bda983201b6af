import type { OptionDeclaration } from '@holdfast/foundation'

/** Account changes that can trigger a notification, with the wording of their descriptions. */
const CHANGES = {
  PasswordChanged: 'the password was changed',
  EmailChanged: 'the email address was changed',
  PhoneChanged: 'the phone number was changed',
  IdentityLinked: 'a way to sign in was linked to the account',
  IdentityUnlinked: 'a way to sign in was removed from the account',
  MfaFactorEnrolled: 'a second factor was added',
  MfaFactorUnenrolled: 'a second factor was removed',
}

interface Fields {
  readonly Enabled: { readonly type: 'boolean'; readonly default: false; readonly description: string }
  readonly Subject: { readonly type: 'string'; readonly description: string }
  readonly ContentPath: { readonly type: 'string'; readonly description: string }
}

type EmailNotificationOptions = {
  readonly [
    K in `emailNotification${keyof typeof CHANGES}${keyof Fields}`
  ]: K extends `emailNotification${keyof typeof CHANGES}${infer F extends keyof Fields}` ? Fields[F] : never
}

function optionsOf([name, change]: readonly [string, string]): readonly (readonly [string, OptionDeclaration])[] {
  const recipient = name === 'EmailChanged' ? ', at the old address' : ''
  const fields: Fields = {
    Enabled: {
      type: 'boolean',
      default: false,
      description: `Whether users are mailed when ${change}${recipient}.`,
    },
    Subject: { type: 'string', description: `Subject of the mail that ${change}.` },
    ContentPath: { type: 'string', description: `HTML file of the mail that ${change}.` },
  }
  return Object.entries(fields).map(([field, declaration]) => [`emailNotification${name}${field}`, declaration])
}

/** Mails about account changes: `[auth.email.notification.*]` of Supabase's `config.toml`. */
export const emailNotificationOptions = Object.fromEntries(
  Object.entries(CHANGES).flatMap(optionsOf),
) as unknown as EmailNotificationOptions
