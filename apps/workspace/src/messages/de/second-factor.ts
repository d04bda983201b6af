import type { Translation } from '../../lib/texts.ts'
import type { secondFactorMessages as english } from '../second-factor.ts'

export const secondFactorMessages: Translation<typeof english> = {
  title: 'Bestätigen Sie, dass Sie es sind',
  detail: (email) => `${email} ist durch einen zweiten Schritt geschützt.`,
  detailNoEmail: 'Dieses Konto ist durch einen zweiten Schritt geschützt.',
  factorName: (type, name) => {
    const kind = (
      {
        totp: 'Authentifizierungs-App',
        phone: 'Nachricht an Ihr Telefon',
        webauthn: 'Sicherheitsschlüssel',
        recovery_code: 'Ersatzcode',
      } as const
    )[type]
    return name === undefined || name === '' ? kind : `${kind} · ${name}`
  },
  totpLabel: 'Code aus Ihrer Authentifizierungs-App',
  phoneLabel: 'Code aus der Nachricht',
  sendMessage: 'Code senden',
  resend: 'Neuen Code senden',
  validFor: (time) => `Der Code gilt noch ${time}.`,
  tooLate: 'Der Code ist zu alt. Lassen Sie sich einen neuen senden.',
  confirmWithKey: 'Sicherheitsschlüssel benutzen',
  keyDetail: 'Ihr Browser fragt nach dem Schlüssel oder nach Fingerabdruck, Gesicht oder PIN dieses Geräts.',
  openNamed: (host) => `Stattdessen http://${host} öffnen`,
  recoveryLabel: 'Einer Ihrer Ersatzcodes',
  recoveryHelp: 'Jeder gilt einmal. Bindestriche und Großschreibung sind gleich.',
  recoveryMissing: 'Geben Sie einen Ersatzcode ein',
  recoveryWrong: 'Dieser Code ist falsch oder wurde schon benutzt',
  recoverySubmit: 'Weiter',
  another: 'Anderen Weg nehmen',
  noFactor: 'Keiner Ihrer zweiten Schritte geht hier',
  noFactorDetail: 'Bitten Sie Ihre Systembetreuung, den zweiten Schritt von Ihrem Konto zu nehmen.',
  offline: 'Ihren zweiten Schritt prüft der Server. Bis dahin wird nichts gesendet oder empfangen.',
  openLocal: 'Daten auf diesem Gerät öffnen',
  signOut: 'Als jemand anderes anmelden',
}
