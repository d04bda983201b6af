import type { Translation } from '../../lib/texts.ts'
import type { accountErrorMessages as errors, accountFailureWords as failures } from '../account-errors.ts'

export const accountErrorMessages: Translation<typeof errors> = {
  email_exists: 'Ein anderes Konto hat diese Adresse. Nehmen Sie eine andere oder melden Sie sich mit jenem Konto an.',
  email_address_invalid: 'An diese Adresse lässt sich keine E-Mail senden. Prüfen Sie sie.',
  email_address_not_authorized: 'Der Server darf an diese Adresse nicht senden. Fragen Sie Ihre Systembetreuung.',
  phone_exists: 'Ein anderes Konto hat diese Nummer. Nehmen Sie eine andere oder melden Sie sich mit jenem Konto an.',
  over_email_send_rate_limit: 'Eben erst wurde eine E-Mail gesendet. Versuchen Sie es in einer Minute noch einmal.',
  over_sms_send_rate_limit: 'Eben erst wurde eine Nachricht gesendet. Versuchen Sie es in einer Minute noch einmal.',
  over_request_rate_limit: 'Zu viele Versuche. Versuchen Sie es in einer Minute noch einmal.',
  sms_send_failed:
    'Die Nachricht konnte an diese Nummer nicht gesendet werden. Prüfen Sie sie oder fragen Sie Ihre Systembetreuung.',
  phone_provider_disabled: 'Telefonnummern sind auf diesem Server ausgeschaltet.',
  email_provider_disabled: 'E-Mail-Adressen sind auf diesem Server ausgeschaltet.',
  otp_expired: 'Dieser Code ist falsch oder zu alt. Prüfen Sie ihn oder lassen Sie sich einen neuen senden.',
  reauthentication_not_valid:
    'Dieser Code ist falsch oder zu alt. Prüfen Sie ihn oder lassen Sie sich einen neuen senden.',
  mfa_verification_failed: 'Dieser Code ist falsch. Prüfen Sie die Uhr Ihres Telefons und geben Sie den neuesten ein.',
  mfa_verification_rejected: 'Der Server nimmt das jetzt nicht an. Fragen Sie Ihre Systembetreuung.',
  mfa_challenge_expired: 'Das hat zu lange gedauert. Versuchen Sie es noch einmal.',
  mfa_ip_address_mismatch: 'Ihre Netzadresse hat sich zwischendurch geändert. Versuchen Sie es noch einmal.',
  mfa_factor_name_conflict: 'Ein zweiter Schritt heißt schon so. Wählen Sie einen anderen Namen.',
  mfa_factor_not_found: 'Diesen zweiten Schritt gibt es nicht mehr. Laden Sie die Seite neu.',
  mfa_verified_factor_exists: 'Diese Nummer ist schon ein zweiter Schritt von Ihnen. Entfernen Sie jenen zuerst.',
  too_many_enrolled_mfa_factors: 'Mehr zweite Schritte sind nicht erlaubt. Entfernen Sie zuerst einen.',
  mfa_recovery_codes_enroll_not_enabled: 'Ersatzcodes sind auf diesem Server ausgeschaltet.',
  mfa_recovery_codes_verify_not_enabled:
    'Ersatzcodes sind auf diesem Server ausgeschaltet. Nehmen Sie einen anderen zweiten Schritt.',
  mfa_recovery_codes_locked:
    'Zu viele falsche Codes. Warten Sie eine Weile oder nehmen Sie einen anderen zweiten Schritt.',
  mfa_recovery_codes_sole_factor: 'Richten Sie zuerst einen anderen zweiten Schritt ein.',
  mfa_totp_enroll_not_enabled: 'Authentifizierungs-Apps sind auf diesem Server ausgeschaltet.',
  mfa_phone_enroll_not_enabled: 'Telefone als zweiter Schritt sind auf diesem Server ausgeschaltet.',
  mfa_webauthn_enroll_not_enabled: 'Sicherheitsschlüssel sind auf diesem Server ausgeschaltet.',
  mfa_totp_verify_not_enabled:
    'Authentifizierungs-Apps sind auf diesem Server ausgeschaltet. Nehmen Sie einen anderen zweiten Schritt.',
  mfa_phone_verify_not_enabled:
    'Telefone als zweiter Schritt sind auf diesem Server ausgeschaltet. Nehmen Sie einen anderen.',
  mfa_webauthn_verify_not_enabled:
    'Sicherheitsschlüssel sind auf diesem Server ausgeschaltet. Nehmen Sie einen anderen zweiten Schritt.',
  insufficient_aal: 'Dafür brauchen Sie Ihren zweiten Schritt. Versuchen Sie es noch einmal und bestätigen Sie ihn.',
  passkey_disabled: 'Passkeys sind auf diesem Server ausgeschaltet.',
  too_many_passkeys: 'Mehr Passkeys sind nicht erlaubt. Entfernen Sie zuerst einen.',
  webauthn_credential_exists: 'Dieses Gerät hat schon einen Passkey für Ihr Konto.',
  webauthn_credential_not_found: 'Diesen Passkey gibt es nicht mehr. Laden Sie die Seite neu.',
  webauthn_challenge_expired: 'Das hat zu lange gedauert. Versuchen Sie es noch einmal.',
  webauthn_challenge_not_found: 'Das hat zu lange gedauert. Versuchen Sie es noch einmal.',
  webauthn_verification_failed: 'Der Server konnte diesen Schlüssel nicht prüfen. Versuchen Sie es noch einmal.',
  manual_linking_disabled: 'Weitere Arten der Anmeldung zu verknüpfen, ist auf diesem Server ausgeschaltet.',
  identity_already_exists: 'Jenes Konto ist schon verknüpft, mit diesem oder einem anderen Konto.',
  single_identity_not_deletable: 'Anders können Sie sich nicht anmelden. Verknüpfen Sie zuerst ein weiteres Konto.',
  email_conflict_identity_not_deletable:
    'Ein anderes Konto hat die Adresse, die übrig bliebe. Ändern Sie zuerst Ihre E-Mail-Adresse.',
  identity_not_found: 'Diese Art der Anmeldung gibt es nicht mehr. Laden Sie die Seite neu.',
  provider_disabled: 'Diese Art der Anmeldung ist auf diesem Server ausgeschaltet.',
  user_sso_managed: 'Ihre Organisation verwaltet dieses Konto. Fragen Sie dort.',
  session_not_found: 'Ihre Anmeldung ist abgelaufen. Melden Sie sich wieder an.',
  session_expired: 'Ihre Anmeldung ist abgelaufen. Melden Sie sich wieder an.',
  refresh_token_not_found: 'Ihre Anmeldung ist abgelaufen. Melden Sie sich wieder an.',
  bad_jwt: 'Ihre Anmeldung ist abgelaufen. Melden Sie sich wieder an.',
  user_banned: 'Dieses Konto ist gesperrt. Fragen Sie Ihre Systembetreuung.',
  captcha_failed: 'Die Prüfung, ob Sie ein Mensch sind, wurde nicht bestanden. Versuchen Sie es noch einmal.',
}

export const accountFailureWords: Translation<typeof failures> = {
  unreachable: 'Der Server hat nicht geantwortet. Prüfen Sie die Verbindung und versuchen Sie es noch einmal.',
  sessionGone: 'Ihre Anmeldung ist abgelaufen. Melden Sie sich wieder an.',
  cancelled: 'Es wurde abgebrochen oder hat zu lange gedauert. Versuchen Sie es noch einmal, wenn Sie so weit sind.',
  registered: 'Dieses Gerät oder dieser Schlüssel ist für Ihr Konto schon eingerichtet.',
  wrongDomain: 'Der Server erwartet Passkeys unter einer anderen Adresse als dieser. Fragen Sie Ihre Systembetreuung.',
  noUserVerification: 'Dieser Schlüssel kann nicht prüfen, dass Sie es sind. Nehmen Sie einen anderen.',
  serverFault: 'Auf dem Server ist etwas schiefgegangen. Versuchen Sie es gleich noch einmal.',
  unexpected: 'Das hat nicht geklappt',
}
