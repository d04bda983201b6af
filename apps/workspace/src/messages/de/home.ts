import { formatCount } from '../../lib/format.ts'
import type { Translation } from '../../lib/texts.ts'
import type { homeMessages as english } from '../home.ts'

export const homeMessages: Translation<typeof english> = {
  lead: 'Auf diesem Gerät auch offline verfügbar.',
  leadAtFirst: 'Wird für die Arbeit ohne Verbindung vorbereitet …',
  leadOnline: 'Ihre Daten sind auf diesem Gerät. Zum Öffnen der App brauchen Sie eine Verbindung.',
  sync: 'Abgleich',
  tables: 'Tabellen',
  noTables: 'Noch keine Tabellen',
  noTablesDetail: 'Sie erscheinen hier, sobald ein Inhaber oder Admin des Arbeitsbereichs welche anlegt.',
  firstTable: 'Die erste Tabelle anlegen',
  firstTableDetail: 'Laden Sie eine Datei hoch, wählen Sie eine Vorlage, oder legen Sie die Felder selbst an.',
  fromFile: 'Mit einer Datei beginnen',
  fromTemplate: 'Mit einer Vorlage beginnen',
  startEmpty: 'Leer beginnen',
  startWorkspace: 'Arbeitsbereich anlegen',
  startWorkspaceDetail: 'Im Arbeitsbereich sind Ihre Tabellen und alle, mit denen Sie sie teilen.',
  noWorkspace: 'Sie sind noch in keinem Arbeitsbereich',
  noWorkspaceDetail: (email) =>
    email === undefined
      ? 'Bitten Sie den Inhaber eines Arbeitsbereichs um eine Einladung.'
      : `Bitten Sie den Inhaber eines Arbeitsbereichs, ${email} einzuladen.`,
  newTable: 'Neue Tabelle',
  newTableFromFile: 'Neue Tabelle aus einer Datei',
  newTableFromTemplate: 'Aus einer Vorlage',
  recent: 'Zuletzt geöffnet',
  unsent: (records) => `${formatCount(records)} nicht gesendet`,
}
