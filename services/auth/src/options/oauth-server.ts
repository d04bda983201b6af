import type { OptionDeclarations } from '@holdfast/foundation'

/** This server as the one that other apps sign in with. */
export const oauthServerOptions = {
  oauthServerEnabled: {
    type: 'boolean',
    default: false,
    description: 'Whether other apps may sign people in with their account here (OAuth 2.1).',
  },
  oauthServerAuthorizationUrlPath: {
    type: 'string',
    default: '/oauth/consent',
    description: 'The page of the app that asks people for their consent.',
  },
  oauthServerAllowDynamicRegistration: {
    type: 'boolean',
    default: false,
    description: 'Whether apps may register themselves.',
  },
} satisfies OptionDeclarations
