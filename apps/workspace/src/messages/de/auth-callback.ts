import type { Translation } from '../../lib/texts.ts'
import type { authCallbackMessages as english } from '../auth-callback.ts'

export const authCallbackMessages: Translation<typeof english> = {
  working: 'Sie werden angemeldet',
  tooOld: 'Dieser Link ist zu alt oder wurde schon benutzt',
  tooOldDetail: 'Ein Link gilt einmal und nur kurze Zeit. Lassen Sie sich einen neuen senden.',
  newCode: 'Neuen Code holen',
  newRecovery: 'Neue E-Mail holen',
  newConfirmation: 'Neue E-Mail holen',
  toSignIn: 'Zur Anmeldung',
  goOn: 'Weiter',
  back: 'Zurück',
  failed: 'Dieser Link hat nicht geklappt',
  otherBrowser: 'Öffnen Sie den Link im anderen Browser',
  otherBrowserDetail:
    'Er gilt nur in dem Browser, in dem Sie ihn verlangt haben. Sie können hier stattdessen den Code aus der E-Mail eingeben.',
  enterCode: 'Code eingeben',
  providerRefused: (provider) => `${provider} hat nicht bestätigt`,
  providerDetail: 'Sie haben unterwegs abgebrochen, oder es wurde dort abgelehnt.',
  providerNoEmail: (provider) => `${provider} hat keine bestätigte E-Mail-Adresse gesendet; hier wird eine gebraucht.`,
  someProvider: 'Der andere Dienst',
  tryAgain: 'Noch einmal versuchen',
  nothing: 'Hier ist nichts zu tun',
  nothingDetail: 'Der Link wurde schon benutzt oder war nicht vollständig.',
  offline: 'Die Anmeldung braucht eine Verbindung. Öffnen Sie den Link wieder, wenn sie da ist.',
  continueAs: 'Mit diesem Link anmelden?',
  continueAsDetail:
    'Jemand von der Verwaltung hat ihn für Sie gemacht. Gehen Sie nur weiter, wenn Sie ihn erwartet haben.',
  continueSubmit: 'Anmelden',
  inviteTitle: 'Sie sind eingeladen',
  inviteDetail: 'Nehmen Sie die Einladung an und wählen Sie dann ein Passwort.',
  inviteSubmit: 'Annehmen',
  halfChanged: 'Noch ein Link ist zu öffnen',
  halfChangedDetail:
    'Wir haben auch an Ihre andere Adresse eine E-Mail gesendet. Öffnen Sie deren Link, um die Änderung abzuschließen.',
  emailChanged: 'Ihre E-Mail-Adresse ist geändert',
  emailChangedDetail: (email) => `Sie melden sich von jetzt an mit ${email} an.`,
  emailChangedElsewhere: 'Ihre neue Adresse ist bestätigt. Sie melden sich von jetzt an mit ihr an.',
  confirmTitle: 'Bestätigen',
  confirmDetail: 'Drücken Sie die Taste, um weiterzugehen. Programme, die E-Mails prüfen, drücken sie nicht.',
  confirmSubmit: 'Bestätigen',
}
