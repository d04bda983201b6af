import { inLanguages } from '../lib/texts.ts'

export const oauthConsentMessages = inLanguages('oauthConsentMessages', {
  title: (app: string) => `${app} wants to use your account`,
  loading: 'Let another app use your account?',
  as: (email: string) => `Signed in as ${email}`,
  may: 'It may',
  scope: (scope: string): string =>
    ({
      openid: 'know who you are here',
      email: 'see your e-mail address',
      profile: 'see your name and picture',
      phone: 'see your phone number',
      offline_access: 'stay signed in while you are away',
    })[scope] ?? `use “${scope}”`,
  anything: 'Your rows stay under the same rules: it sees what you may see.',
  goesTo: (host: string) => `You go on at ${host}.`,
  approve: 'Allow',
  deny: 'Do not allow',
  home: 'Go home',
  tryAgain: 'Try again',
  gone: 'This question is too old, or was answered already',
  goneDetail: 'Go back to the app and start again.',
  offline: 'Answering needs a connection.',
})
