import { flag, type OptionDeclarations, text } from '@holdfast/foundation'

/** The OAuth server, with which users sign in to other apps. */
export const oauthServerOptions = {
  oauthServerEnabled: flag('Whether other apps may sign users in with their account here (OAuth 2.1).', {
    default: false,
  }),
  oauthServerAuthorizationUrlPath: text('Consent page of the app.', {
    default: '/oauth/consent',
  }),
  oauthServerAllowDynamicRegistration: flag('Whether apps may register themselves.', { default: false }),
} satisfies OptionDeclarations
