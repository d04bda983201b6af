import { flag, list, type OptionDeclarations, text } from '@holdfast/foundation'

/** Who may sign in. Named as in `[auth]` of Supabase's `config.toml`. */
export const signInOptions = {
  siteUrl: text(
    'The address of the app, to which people return from a mail or a provider. Default: the address of this server, where the packaged app is.',
  ),
  additionalRedirectUrls: list(
    'More addresses that people may be sent to after a mail or a provider. `*` stands for part of one path segment, `**` for anything.',
    { default: [] },
  ),
  enableSignup: flag('Whether people may create their own account.', { default: true }),
  enableAnonymousSignIns: flag('Whether people may use the app without an account, and make one of it later.', {
    default: false,
  }),
  enableManualLinking: flag('Whether signed-in people may add and remove ways to sign in themselves.', {
    default: false,
  }),
  jwtAdminRoles: list('The roles whose tokens may use the administration of accounts.', {
    default: ['service_role', 'supabase_admin'],
  }),
  jwtExpRequired: flag(
    'Whether tokens that are signed with the JWT secret need an end (`exp`), as all others do. API keys never need one.',
    { default: false },
  ),
  jwtAudiences: list(
    'The audiences (`aud`) whose tokens are accepted. A token without one, such as an API key, is accepted too; an empty list accepts every audience.',
    { default: ['authenticated'] },
  ),
} satisfies OptionDeclarations
