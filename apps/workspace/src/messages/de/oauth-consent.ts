import type { Translation } from '../../lib/texts.ts'
import type { oauthConsentMessages as english } from '../oauth-consent.ts'

export const oauthConsentMessages: Translation<typeof english> = {
  title: (app) => `${app} möchte Ihr Konto benutzen`,
  loading: 'Soll eine andere App Ihr Konto benutzen?',
  as: (email) => `Angemeldet als ${email}`,
  may: 'Sie darf',
  scope: (scope) =>
    ({
      openid: 'wissen, wer Sie hier sind',
      email: 'Ihre E-Mail-Adresse sehen',
      profile: 'Ihren Namen und Ihr Bild sehen',
      phone: 'Ihre Telefonnummer sehen',
      offline_access: 'angemeldet bleiben, während Sie weg sind',
    })[scope] ?? `„${scope}“ benutzen`,
  anything: 'Für Ihre Einträge gilt dasselbe wie für Sie: die App sieht, was Sie sehen dürfen.',
  goesTo: (host) => `Weiter geht es bei ${host}.`,
  approve: 'Erlauben',
  deny: 'Nicht erlauben',
  home: 'Zur Startseite',
  tryAgain: 'Noch einmal versuchen',
  gone: 'Diese Frage ist zu alt oder schon beantwortet',
  goneDetail: 'Gehen Sie zurück zur App und beginnen Sie noch einmal.',
  offline: 'Für die Antwort braucht es eine Verbindung.',
}
