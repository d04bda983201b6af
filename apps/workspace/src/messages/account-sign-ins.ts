import { formatAgo, formatMoment, plural } from '../lib/format.ts'

const METHODS: Readonly<Record<string, string>> = {
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
}

export const signInsMessages = {
  title: 'Sign-ins',
  lead: 'Every browser and app that is signed in to your account. Sign out what you do not know.',
  label: 'Your sign-ins',
  thisDevice: 'This device',
  twoSteps: 'Two steps',
  unknownDevice: 'Unknown device',
  seen: (at: Date) => `Last seen ${formatAgo(at)}`,
  started: (at: Date, methods: readonly string[]) => {
    const names = [...new Set(methods.map((method) => METHODS[method] ?? method).filter((name) => name !== ''))]
    return `signed in ${formatMoment(at)}${names.length === 0 ? '' : ` with ${names.join(' and ')}`}`
  },
  ends: (at: Date) => `ends ${formatMoment(at)}`,
  signOut: 'Sign out',
  signOutNamed: (name: string) => `Sign out ${name}`,
  confirmTitle: (name: string) => `Sign out ${name}?`,
  confirmDetail:
    'It has to sign in again. What it already holds stays on it, and what it has not sent waits there for the next sign-in.',
  signedOut: (name: string) => `${name} is signed out`,
  signOutOthers: 'Sign out all others',
  othersTitle: (count: number) => `Sign out ${plural(count, 'other device')}?`,
  othersDone: 'All other devices are signed out',
  onlyThis: 'You are signed in here only.',
  delay:
    'A device that you sign out can go on until its current token ends: an hour at most, unless the server is set otherwise.',
} as const
