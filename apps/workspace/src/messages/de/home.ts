import { formatCount } from '../../lib/format.ts'
import type { Translation } from '../../lib/texts.ts'
import type { homeMessages as english } from '../home.ts'

export const homeMessages: Translation<typeof english> = {
  lead: 'Alles hier ist auf diesem Gerät und geht ohne Verbindung.',
  leadAtFirst: 'Was Sie sehen dürfen, kommt auf dieses Gerät. Danach geht es ohne Verbindung.',
  sync: 'Abgleich',
  tables: 'Tabellen',
  noTables: 'Sie können noch keine Tabellen sehen',
  noTablesDetail:
    'Eine Tabelle erscheint hier, sobald Sie Einträge darin lesen dürfen. Fragen Sie Ihre Systembetreuung.',
  newTable: 'Neue Tabelle aus einer Datei',
  recent: 'Zuletzt geöffnet',
  unsent: (records) => `${formatCount(records)} nicht gesendet`,
}
