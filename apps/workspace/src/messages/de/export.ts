import { formatCount } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { exportMessages as english } from '../export.ts'

export const exportMessages: Translation<typeof english> = {
  title: 'Export und Import',
  format: 'Exportieren als',
  fields: 'Felder',
  shown: 'Wie gezeigt',
  all: 'Alle',
  withIds: 'Mit IDs, um diese Einträge durch Import zu ändern',
  detail: 'Die Einträge dieser Ansicht in ihrer Reihenfolge, von diesem Gerät.',
  run: 'Exportieren',
  running: 'Wird exportiert',
  progress: (done, total) => `${formatCount(done)} von ${formatCount(total)}`,
  cancel: 'Abbrechen',
  done: (records) => icu('{records, plural, one {# Eintrag} other {# Einträge}} exportiert', { records }),
  failed: 'Die Datei konnte nicht erstellt werden. Nichts wurde geändert; versuchen Sie es noch einmal.',
  tooLong: (header) => `Ein Text in ${header} ist zu lang für eine Zelle in XLSX. Exportieren Sie als CSV oder JSON.`,
  toImport: 'Einträge importieren',
}
