import type { Translation } from '../../lib/texts.ts'
import type { recoverMessages as english } from '../recover.ts'

export const recoverMessages: Translation<typeof english> = {
  title: 'Passwort vergessen?',
  detail:
    'Geben Sie Ihre E-Mail-Adresse ein. Sie bekommen eine E-Mail mit einem Code und einem Link, um ein neues Passwort zu wählen.',
  email: 'E-Mail',
  emailMissing: 'Geben Sie Ihre E-Mail-Adresse ein',
  emailIncomplete: 'Geben Sie eine ganze E-Mail-Adresse ein, zum Beispiel dana@example.org',
  submit: 'E-Mail senden',
  offline: 'Um ein neues Passwort zu wählen, brauchen Sie eine Verbindung.',
  back: 'Zurück zur Anmeldung',
  checkMail: 'Sehen Sie in Ihre E-Mails',
  checkMailDetail: (email) =>
    `Wenn es für ${email} ein Konto gibt, ist eine E-Mail unterwegs. Geben Sie den Code daraus ein oder öffnen Sie ihren Link in diesem Browser.`,
  resend: 'E-Mail noch einmal senden',
  newTitle: 'Neues Passwort wählen',
  newDetail: (email) => `Für ${email}. Andere Geräte werden abgemeldet.`,
  inviteTitle: 'Willkommen. Wählen Sie ein Passwort',
  inviteDetail: (email) => `Sie melden sich von jetzt an mit ${email} und diesem Passwort an.`,
  save: 'Passwort speichern',
  cancel: 'Abbrechen und abmelden',
  later: 'Nicht jetzt',
  saved: 'Ihr Passwort ist gespeichert',
}
