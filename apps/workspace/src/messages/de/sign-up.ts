import type { Translation } from '../../lib/texts.ts'
import type { signUpMessages as english } from '../sign-up.ts'

export const signUpMessages: Translation<typeof english> = {
  title: 'Konto anlegen',
  name: 'Name',
  nameHelp: 'Andere sehen ihn bei dem, was Sie tun.',
  email: 'E-Mail',
  password: 'Passwort',
  submit: 'Konto anlegen',
  haveAccount: 'Haben Sie schon ein Konto?',
  signIn: 'Anmelden',
  off: 'Für ein Konto brauchen Sie eine Einladung',
  offDetail: 'Bitten Sie den Inhaber eines Arbeitsbereichs, Sie einzuladen.',
  offline: 'Um ein Konto anzulegen, brauchen Sie eine Verbindung.',
  emailMissing: 'Geben Sie Ihre E-Mail-Adresse ein',
  emailIncomplete: 'Geben Sie eine ganze E-Mail-Adresse ein, zum Beispiel dana@example.org',
  phoneMissing: 'Geben Sie Ihre Telefonnummer ein',
  phone: 'Telefonnummer',
  phoneHelp: 'Mit Landesvorwahl, zum Beispiel +49 151 23456789. Sie bekommen eine Nachricht mit einem Code.',
  sendCode: 'Code senden',
  checkMail: 'Sehen Sie in Ihre E-Mails',
  checkMailDetail: (email) =>
    `Wir haben eine E-Mail an ${email} gesendet. Geben Sie den Code daraus ein oder öffnen Sie ihren Link in diesem Browser.`,
  resend: 'E-Mail noch einmal senden',
  otherAddress: 'Andere Adresse nehmen',
}
