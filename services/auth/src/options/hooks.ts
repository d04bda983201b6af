import type { OptionDeclaration } from '@holdfast/foundation'

/** Descriptions of the hooks. */
const HOOKS = {
  CustomAccessToken: 'changes the claims of access tokens',
  BeforeUserCreated: 'may refuse a new account',
  PasswordVerificationAttempt: 'is told of every password attempt',
  MfaVerificationAttempt: 'is told of every second-factor attempt',
  SendEmail: 'sends mails instead of this server',
  SendSms: 'sends text messages instead of this server',
}

interface Fields {
  readonly Uri: { readonly type: 'string'; readonly description: string }
  readonly Secrets: { readonly type: 'string'; readonly secret: true; readonly description: string }
}

type HookOptions = {
  readonly [
    K in `hook${keyof typeof HOOKS}${keyof Fields}`
  ]: K extends `hook${keyof typeof HOOKS}${infer F extends keyof Fields}` ? Fields[F] : never
}

function optionsOf([name, does]: readonly [string, string]): readonly (readonly [string, OptionDeclaration])[] {
  const fields: Fields = {
    Uri: {
      type: 'string',
      description: `Hook that ${does}: \`pg-functions://postgres/schema/function\` or an https URL.`,
    },
    Secrets: {
      type: 'string',
      secret: true,
      description: 'Secrets that sign requests to that hook: `v1,whsec_` and base64, separated by `|`.',
    },
  }
  return Object.entries(fields).map(([field, declaration]) => [`hook${name}${field}`, declaration])
}

/** The project's hooks. */
export const hookOptions = Object.fromEntries(Object.entries(HOOKS).flatMap(optionsOf)) as unknown as HookOptions
