import { capitalize, formatCount } from '../../lib/format.ts'
import type { Translation } from '../../lib/texts.ts'
import type { noRecordsMessages as english } from '../no-records.ts'

export const noRecordsMessages: Translation<typeof english> = {
  noRecords: (many) => `Hier sind noch keine ${capitalize(many)}`,
  noRecordsDetail: 'Legen Sie den ersten an. Er ist auf diesem Gerät und wird gesendet, sobald Sie online sind.',
  noRecordsReadOnly: (many) => `Keine ${capitalize(many)} zu sehen`,
  noRecordsReadOnlyDetail:
    'Vielleicht gibt es noch keine, oder keine sind für Sie freigegeben. Fragen Sie einen Inhaber oder Admin des Arbeitsbereichs, wenn etwas fehlt.',
  noAccess: 'Diese Tabelle ist für Sie nicht sichtbar',
  noAccessDetail: 'Vielleicht gibt es sie nicht, oder Sie dürfen sie nicht lesen.',
  noMatch: (total) => `0 von ${formatCount(total)} passen`,
  noMatchDetail: 'Nichts passt zu Suche und Filter zusammen.',
  errorTitle: 'Diese Ansicht kann nicht gezeigt werden',
  resetView: 'Ansicht zurücksetzen',
  importFile: 'Datei importieren',
}
