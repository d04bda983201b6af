import { flag, list, type OptionDeclarations, text } from '@holdfast/foundation'

/** Who may sign in. Named as in `[auth]` of Supabase's `config.toml`. */
export const signInOptions = {
  siteUrl: text(
    'URL of the app, to which mails and providers return. Default: this server, which serves the packaged app.',
  ),
  additionalRedirectUrls: list(
    'Further permitted redirect targets. `*` matches within one path segment, `**` anything.',
    { default: [] },
  ),
  enableSignup: flag('Whether users may create their own account.', { default: true }),
  enableAnonymousSignIns: flag('Whether users may start without an account and convert it later.', {
    default: false,
  }),
  enableManualLinking: flag('Whether signed-in users may link and unlink identities.', {
    default: false,
  }),
  jwtAdminRoles: list('Roles whose tokens may administer accounts.', {
    default: ['service_role', 'supabase_admin'],
  }),
  jwtExpRequired: flag(
    'Whether tokens signed with the JWT secret must expire (`exp`), as all others must. API keys never need to.',
    { default: false },
  ),
  jwtAudiences: list(
    'Accepted audiences (`aud`); empty accepts all. Tokens without one, such as API keys, are always accepted.',
    { default: ['authenticated'] },
  ),
} satisfies OptionDeclarations
