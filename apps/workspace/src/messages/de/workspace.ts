import type { Translation } from '../../lib/texts.ts'
import type { workspaceMessages as english } from '../workspace.ts'

export const workspaceMessages: Translation<typeof english> = {
  title: 'Arbeitsbereich',
  lead: (name) => `Diese Einstellungen von ${name} gelten für alle, die dazugehören.`,
  none: 'Hier gibt es noch keinen Arbeitsbereich. Tage beginnen und enden nach der Uhr jedes Geräts.',
  onlyAdmins: 'Nur wem der Arbeitsbereich gehört und wer ihn verwaltet, ändert diese Einstellungen.',
  timeZone: 'Zeitzone',
  timeZoneDetail: (time) =>
    `Was heute fällig, überfällig oder für einen Tag geplant ist, richtet sich auf jedem Gerät nach dieser Zone.${time === undefined ? '' : ` Dort ist es jetzt ${time}.`}`,
  deviceZone: (zone) => `Die Zone dieses Geräts nehmen: ${zone}`,
  language: 'Sprache der Mails',
  languageDetail: 'Für alle, die keine Sprache für ihre Mails gewählt haben.',
  changedZone: 'Zeitzone geändert',
  changedLanguage: 'Sprache der Mails geändert',
}
