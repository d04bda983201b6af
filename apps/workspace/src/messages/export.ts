import { formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

/** Texts of the export form. */
export const exportMessages = inLanguages('exportMessages', {
  title: 'Export and import',
  format: 'Export as',
  fields: 'Fields',
  shown: 'As shown',
  all: 'All',
  withIds: 'With IDs, to update these records by import',
  detail: 'The records of this view, in its order, from this device.',
  run: 'Export',
  running: 'Exporting',
  progress: (done: number, total: number) => `${formatCount(done)} of ${formatCount(total)}`,
  cancel: 'Cancel',
  done: (records: number, noun: string, many: string) =>
    icu('Exported {records, plural, one {# {noun}} other {# {many}}}', { records, noun, many }),
  toImport: 'Import records',
  failed: 'The file could not be made. Nothing was changed; try again.',
  tooLong: (header: string) => `A text in ${header} is too long for a cell of XLSX. Export as CSV or JSON.`,
})
