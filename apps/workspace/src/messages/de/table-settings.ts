import type { Translation } from '../../lib/texts.ts'
import type { tableSettingsMessages as english, tableSettingsRefusals as englishRefusals } from '../table-settings.ts'

export const tableSettingsMessages: Translation<typeof english> = {
  offline: 'Felder lassen sich nur mit Verbindung ändern.',
  add: 'Feld hinzufügen',
  name: 'Feldname',
  kind: 'Art',
  nameMissing: 'Geben Sie dem Feld einen Namen',
  autonumber: 'Automatische Nummer',
  rating: 'Bewertung von 1 bis 5',
  person: 'Person',
  choices: 'Auswahlwerte, einer pro Zeile',
  choicesMissing: 'Geben Sie mindestens einen Wert ein',
  details: 'Details',
  added: (label) => `${label} hinzugefügt`,
  rename: 'Feld umbenennen',
  renameDetail: 'Werte, Ansichten und Filter bleiben unverändert.',
  save: 'Speichern',
  renamed: (label) => `Umbenannt in ${label}`,
  delete: 'Feld löschen',
  deleteTitle: (label) => `${label} löschen?`,
  deleteDetail:
    'Das Feld und seine Werte verschwinden für alle. Leitung und Verwaltung können es 30 Tage lang wiederherstellen.',
  deleted: (label) => `${label} gelöscht`,
  undo: 'Wiederherstellen',
  deletedFields: 'Gelöschte Felder',
  until: (date) => `bis ${date}`,
  restoreOf: (label) => `${label} wiederherstellen`,
  restored: (label) => `${label} wiederhergestellt`,
  noneDeleted: 'Keine gelöschten Felder',
}

export const tableSettingsRefusals: Translation<typeof englishRefusals> = {
  unreachable: 'Der Server hat nicht geantwortet. Laden Sie neu, um zu sehen, ob das Feld geändert wurde.',
  'people.not_admin': 'Nur Leitung und Verwaltung des Arbeitsbereichs können Felder ändern.',
  'change_table.of_project': 'Diese Tabelle gehört zum Projekt. Ein Entwickler ändert sie mit einer Migration.',
  'change_table.kind': 'Der Server kennt diese Änderung nicht. Vielleicht ist er älter als diese App.',
  'change_table.no_field': 'Dieses Feld gibt es nicht mehr. Vielleicht wurde es gelöscht.',
  'change_table.used': 'Etwas anderes verwendet dieses Feld. Ändern oder entfernen Sie das zuerst.',
  'change_table.busy': 'Gerade schreibt jemand in diese Tabelle. Versuchen Sie es gleich noch einmal.',
}
