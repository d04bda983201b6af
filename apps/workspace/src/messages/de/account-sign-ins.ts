import { formatAgo, formatMoment } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { signInMethods as methods, signInsMessages as english } from '../account-sign-ins.ts'

export const signInMethods: Translation<typeof methods> = {
  password: 'Passwort',
  otp: 'Code oder Link per E-Mail',
  magiclink: 'Link per E-Mail',
  recovery: 'E-Mail für ein neues Passwort',
  invite: 'Einladung',
  email_change: 'bestätigter Adresse',
  'email/signup': 'bestätigter Adresse',
  oauth: 'anderem Konto',
  'sso/saml': 'Ihrer Organisation',
  anonymous: 'nichts, als Gast',
  totp: 'Authentifizierungs-App',
  'mfa/phone': 'Telefon',
  phone: 'Telefon',
  webauthn: 'Sicherheitsschlüssel',
  'mfa/webauthn': 'Sicherheitsschlüssel',
  passkey: 'Passkey',
  web3: 'Wallet',
  oauth_provider: 'anderer App',
}

export const signInsMessages: Translation<typeof english> = {
  title: 'Anmeldungen',
  lead: 'Alle Browser und Apps, die mit Ihrem Konto angemeldet sind. Melden Sie ab, was Sie nicht kennen.',
  label: 'Ihre Anmeldungen',
  thisDevice: 'Dieses Gerät',
  twoSteps: 'Zwei Schritte',
  support: 'Support',
  deviceOn: (browser, system) => `${browser} unter ${system}`,
  unknownDevice: 'Unbekanntes Gerät',
  seen: (at) => `Zuletzt gesehen ${formatAgo(at)}`,
  started: (at, names) => `angemeldet ${formatMoment(at)}${names.length === 0 ? '' : ` mit ${names.join(' und ')}`}`,
  ends: (at) => `endet ${formatMoment(at)}`,
  signOut: 'Abmelden',
  signOutNamed: (name) => `${name} abmelden`,
  confirmTitle: (name) => `${name} abmelden?`,
  confirmDetail:
    'Dort muss man sich neu anmelden. Was das Gerät schon hat, bleibt darauf; was es nicht gesendet hat, wartet dort auf die nächste Anmeldung.',
  signedOut: (name) => `${name} ist abgemeldet`,
  signOutOthers: 'Alle anderen abmelden',
  othersTitle: (count) => icu('{count, plural, one {# anderes Gerät} other {# andere Geräte}} abmelden?', { count }),
  othersDone: 'Alle anderen Geräte sind abgemeldet',
  onlyThis: 'Sie sind nur hier angemeldet.',
  delay:
    'Ein Gerät, das Sie abmelden, kann weiterarbeiten, bis seine Kennung abläuft: höchstens eine Stunde, wenn der Server nicht anders eingestellt ist.',
}
