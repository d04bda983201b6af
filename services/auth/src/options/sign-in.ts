import type { OptionDeclarations } from '@holdfast/foundation'

/** Who gets in at all. Names are those of `[auth]` in Supabase's `config.toml`. */
export const signInOptions = {
  siteUrl: {
    type: 'string',
    description:
      'The address of the app, to which people return from a mail or a provider. Default: the address of this server, where the packaged app is.',
  },
  additionalRedirectUrls: {
    type: 'list',
    default: [],
    description:
      'More addresses that people may be sent to after a mail or a provider. `*` stands for part of one path segment, `**` for anything.',
  },
  enableSignup: {
    type: 'boolean',
    default: true,
    description: 'Whether people may create their own account.',
  },
  enableAnonymousSignIns: {
    type: 'boolean',
    default: false,
    description: 'Whether people may use the app without an account, and make one of it later.',
  },
  enableManualLinking: {
    type: 'boolean',
    default: false,
    description: 'Whether signed-in people may add and remove ways to sign in themselves.',
  },
  jwtAdminRoles: {
    type: 'list',
    default: ['service_role', 'supabase_admin'],
    description: 'The roles whose tokens may use the administration of accounts.',
  },
  jwtExpRequired: {
    type: 'boolean',
    default: false,
    description:
      'Whether tokens that are signed with the JWT secret need an end (`exp`), as all others do. API keys never need one.',
  },
  jwtAudiences: {
    type: 'list',
    default: ['authenticated'],
    description:
      'The audiences (`aud`) whose tokens are accepted. A token without one, such as an API key, is accepted too; an empty list accepts every audience.',
  },
} satisfies OptionDeclarations
