import { formatAgo, formatMoment } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

/** Sign-in methods by the session's method name. */
export const signInMethods = inLanguages<Readonly<Record<string, string>>>('signInMethods', {
  password: 'password',
  otp: 'code or link by mail',
  magiclink: 'link by mail',
  recovery: 'recovery mail',
  invite: 'invitation',
  email_change: 'confirmed address',
  'email/signup': 'confirmed address',
  oauth: 'another account',
  'sso/saml': 'your organisation',
  anonymous: 'nothing, as a guest',
  totp: 'authenticator app',
  'mfa/phone': 'phone',
  phone: 'phone',
  webauthn: 'security key',
  'mfa/webauthn': 'security key',
  passkey: 'passkey',
  web3: 'wallet',
  oauth_provider: 'another app',
})

export const signInsMessages = inLanguages('signInsMessages', {
  title: 'Sign-ins',
  lead: 'Every browser and app that is signed in to your account. Sign out what you do not know.',
  label: 'Your sign-ins',
  thisDevice: 'This device',
  twoSteps: 'Two steps',
  /** A session that an operator of the server started. */
  support: 'Support',
  deviceOn: (browser: string, system: string) => `${browser} on ${system}`,
  unknownDevice: 'Unknown device',
  seen: (at: Date) => `Last seen ${formatAgo(at)}`,
  /** @param methods - names, see {@link signInMethods} */
  started: (at: Date, methods: readonly string[]) =>
    `signed in ${formatMoment(at)}${methods.length === 0 ? '' : ` with ${methods.join(' and ')}`}`,
  ends: (at: Date) => `ends ${formatMoment(at)}`,
  signOut: 'Sign out',
  signOutNamed: (name: string) => `Sign out ${name}`,
  confirmTitle: (name: string) => `Sign out ${name}?`,
  confirmDetail:
    'It has to sign in again. What it already holds stays on it, and what it has not sent waits there for the next sign-in.',
  signedOut: (name: string) => `${name} is signed out`,
  signOutOthers: 'Sign out all others',
  othersTitle: (count: number) =>
    icu('Sign out {count, plural, one {# other device} other {# other devices}}?', { count }),
  othersDone: 'All other devices are signed out',
  onlyThis: 'You are signed in here only.',
  delay:
    'A device that you sign out can go on until its current token ends: an hour at most, unless the server is set otherwise.',
})
