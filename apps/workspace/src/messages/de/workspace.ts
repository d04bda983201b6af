import type { Translation } from '../../lib/texts.ts'
import type { workspaceMessages as english } from '../workspace.ts'

export const workspaceMessages: Translation<typeof english> = {
  title: 'Arbeitsbereich',
  lead: (name) => `Einstellungen von ${name} für alle Mitglieder.`,
  none: 'Sie sind in keinem Arbeitsbereich. Tage richten sich nach der Uhr jedes Geräts.',
  onlyAdmins: 'Nur Inhaber und Admins können diese Einstellungen ändern.',
  name: 'Name',
  rename: 'Umbenennen',
  renamed: 'Arbeitsbereich umbenannt',
  nameMissing: 'Geben Sie einen Namen ein.',
  timeZone: 'Zeitzone',
  timeZoneDetail: (time) =>
    `Bestimmt auf jedem Gerät, was heute fällig oder überfällig ist.${time === undefined ? '' : ` Dort ist es jetzt ${time}.`}`,
  deviceZone: (zone) => `Zeitzone dieses Geräts verwenden: ${zone}`,
  language: 'Sprache der Mails',
  languageDetail: 'Für alle, die keine Sprache für ihre Mails gewählt haben.',
  logo: 'Logo',
  logoOf: (name) => `Logo von ${name}`,
  logoDetail: 'Steht auf gedruckten Einträgen und Ansichten. PNG, JPEG oder WebP.',
  addLogo: 'Logo hinzufügen',
  replaceLogo: 'Ersetzen',
  removeLogo: 'Entfernen',
  changedLogo: 'Logo geändert',
  logoProblems: {
    kind: 'Diese Art von Datei ist nicht möglich. Wählen Sie ein Bild als PNG, JPEG oder WebP.',
    too_large: 'Dieses Bild ist zu groß. Wählen Sie eines mit höchstens 5 MB und wenig Details.',
    unreadable: 'Dieser Browser kann das Bild nicht lesen. Speichern Sie es noch einmal als PNG.',
  },
  changedZone: 'Zeitzone geändert',
  changedLanguage: 'Sprache der Mails geändert',
}
