import { formatCount } from '../lib/format.ts'
import { pageLocale } from '../lib/language.ts'
import { icu, inLanguages } from '../lib/texts.ts'

/** Texts of the import. */
export const importMessages = inLanguages('importMessages', {
  title: 'Import records',
  description: 'Add records from a CSV or XLSX file to an existing table. This also works offline.',
  into: 'Import into',
  existing: 'An existing table',
  onlyAdmins: 'Only owners and admins of the workspace can create tables.',
  onlyAdminsDetail: 'You can import the file into an existing table.',
  home: 'Home',
  table: 'Into table',
  noTable: 'You cannot add or change records of any table.',
  chooseFile: 'Choose a file',
  otherFile: 'Choose another file',
  dropHere: 'or drop it here',
  reading: 'Reading the file',
  rowsRead: (rows: number) => icu('{rows, plural, one {# row} other {# rows}}', { rows }),
  file: (name: string, rows: number, columns: number) =>
    icu('{name}: {rows, plural, one {# row} other {# rows}}, {columns, plural, one {# column} other {# columns}}', {
      name,
      rows,
      columns,
    }),
  encoding: 'Encoding',
  encodings: {
    'utf-8': 'UTF-8',
    'utf-16le': 'UTF-16',
    'utf-16be': 'UTF-16 (big-endian)',
    'windows-1252': 'Windows-1252',
  },
  delimiter: 'Delimiter',
  delimiters: { ',': 'Comma', ';': 'Semicolon', '\t': 'Tab', '|': 'Bar' },
  decimal: 'Decimals',
  decimals: { '.': '1,234.5', ',': '1.234,5' },
  dayOrder: 'Dates',
  dayOrders: { dmy: 'Day first, 31/12/2026', mdy: 'Month first, 12/31/2026' },
  sheet: 'Sheet',
  hiddenSheet: (name: string) => `${name} (hidden)`,
  head: 'Column names',
  headAt: (row: number, texts: string) => `Row ${formatCount(row)}: ${texts}`,
  headAtTwo: (row: number, texts: string) => `Rows ${formatCount(row)} and ${formatCount(row + 1)}: ${texts}`,
  noHead: 'None, the first row is a record',
  columnAt: (place: number) => `Column ${place}`,
  brokenText: (row: number) =>
    `The file has broken characters, shown as � (first in row ${formatCount(row)}). Choose another encoding if many are wrong.`,
  unsavedFormulas: (count: number) =>
    icu(
      '{count, plural, one {# formula has} other {# formulas have}} no saved result and {count, plural, one {is} other {are}} left empty. Open and save the file in a spreadsheet program, then choose it again.',
      { count },
    ),
  errorCells: (count: number) =>
    icu(
      '{count, plural, one {# cell has an error} other {# cells have errors}}, such as #N/A, and {count, plural, one {is} other {are}} left empty.',
      { count },
    ),
  mergedCells: (count: number) =>
    icu('{count, plural, one {# row has} other {# rows have}} the value of a merged cell above.', { count }),
  hiddenRows: (count: number) =>
    icu('{count, plural, one {# hidden row is} other {# hidden rows are}} included.', { count }),
  hiddenColumns: (count: number) =>
    icu('{count, plural, one {# hidden column is} other {# hidden columns are}} included.', { count }),
  openQuote: 'A quotation mark in this file is never closed, so the last row contains everything after it.',
  problems: {
    too_large: 'The file is larger than 100 MB. Split it.',
    too_many_rows: 'The file has more than 100,000 rows. Split it.',
    too_many_columns: 'The file has more than 400 columns.',
    too_many_cells: 'The file has more than 4,000,000 cells. Split it, or take columns out.',
    unpacks_too_large: 'The file unpacks to more than this device reads. Save it as CSV, or split it.',
    old_excel: 'This is an old Excel file (.xls). Save it as XLSX or CSV.',
    password: 'The file has a password. Save it without one.',
    web_page:
      'The file is a web page with the name of a spreadsheet. Open it in a spreadsheet program and save it as XLSX.',
    broken_xlsx: 'The file begins like an XLSX, but cannot be read. Save it again, or as CSV.',
    empty: 'This file or sheet is empty.',
  },
  unreadable: 'The file could not be read. Choose it again.',

  fields: 'Fields',
  column: 'Column of the file',
  becomes: 'Becomes',
  becomesOf: (column: string) => `${column} becomes`,
  leftOut: 'Left out',
  titleOf: (header: string) => `${header} (by name or number)`,
  fits: 'Fits',
  fitsOf: (fit: number, filled: number) => {
    if (filled === 0) return 'empty'
    return fit === filled ? shareOf(fit, filled) : `${shareOf(fit, filled)} (${formatCount(filled - fit)} do not)`
  },
  sample: 'Sample',
  key: 'Find existing records by',
  noKey: 'Nothing, every row is a new record',

  checking: 'Checking the rows',
  checked: (done: number, total: number) =>
    icu('{done, number} of {total, plural, one {# row} other {# rows}}', { done, total }),
  result: 'Preview',
  inserts: (count: number, one: string, many: string) =>
    icu('Add {count, plural, one {# {one}} other {# {many}}}', { count, one, many }),
  updates: (count: number, one: string, many: string) =>
    icu('Change {count, plural, one {# {one}} other {# {many}}}', { count, one, many }),
  same: (count: number) => icu('{count, plural, one {# row} other {# rows}} unchanged', { count }),
  refused: (count: number) =>
    icu('{count, plural, one {# row does} other {# rows do}} not fit and will be left out', { count }),
  nothing: 'Nothing to change.',
  issues: 'Rows that do not fit',
  row: 'Row',
  value: 'Value',
  reason: 'Why',
  wholeRow: 'Whole row',
  moreIssues: (count: number) => `${formatCount(count)} more are in the file`,
  download: 'Download the rows that do not fit',
  downloadName: (table: string) => `${table} – rows that do not fit.csv`,
  run: (count: number, one: string, many: string) =>
    icu('Import {count, plural, one {# {one}} other {# {many}}}', { count, one, many }),
  writing: 'Writing to this device',
  stop: 'Stop',
  checkStopped: (checked: string) => `Check stopped: ${checked}. Nothing was imported.`,
  checkAgain: 'Check again',
  done: (count: number, one: string, many: string) =>
    icu('{count, plural, one {# {one}} other {# {many}}} imported on this device', { count, one, many }),
  doneDetail: 'They are sent automatically. If the server rejects any, they appear under Needs attention.',
  stopped: (left: number) => icu('Stopped: {left, plural, one {# row} other {# rows}} not imported.', { left }),
  undo: 'Undo import',
  undoing: 'Undoing the import',
  undone: 'Import undone.',
  undoneExcept: (kept: number) =>
    icu('Import undone, except {kept, plural, one {# record that was} other {# records that were}} changed since.', {
      kept,
    }),
  past: 'Imported on this device',
  pastDetail: 'For seven days, an import can be undone as one step.',
  pastOf: (table: string, records: number, at: string) =>
    icu('{records, plural, one {# record} other {# records}} into {table} · {at}', { records, table, at }),
  undoOf: (file: string) => `Undo import of ${file}`,
  undoTitle: (file: string) => `Undo the import of ${file}?`,
  undoDeletes: (count: number) =>
    icu('{count, plural, one {# imported record is} other {# imported records are}} deleted.', { count }),
  undoRestores: (count: number) =>
    icu('{count, plural, one {# record gets its} other {# records get their}} previous values back.', { count }),
  undoRefused: (reason: string) =>
    `The server will refuse some of this: ${reason} What it refuses appears under Needs attention.`,
  counting: 'Looking for records that were changed since …',
  keeps: (count: number) =>
    icu(
      '{count, plural, =0 {No record was changed since.} one {# of them was changed since and stays as it is.} other {# of them were changed since and stay as they are.}}',
      { count },
    ),
  show: (table: string) => `Show ${table}`,
  again: 'Import another file',
  label: (file: string) => `import of ${file}`,
  undoFailed: 'The import could not be undone completely. Try again.',
  failed: 'The import stopped with an error. The records imported so far are on this device.',

  noYear: 'Enter a date with its year',
  nul: 'Contains a NUL character',
  tooManyCells: 'The row has more cells than the header',
  noLink: (text: string) => `No record is called “${text}”`,
  manyLinks: (count: number, text: string) => `${formatCount(count)} records are called “${text}”`,
  twoLinks: 'The name and the ID belong to different records',
  manyRecords: (count: number) => `${formatCount(count)} records have this value`,
  sameKey: (row: number) => `Row ${formatCount(row)} is for the same record`,
  sameId: 'A record with this ID exists',
  needsValue: 'A value is required',
  missing: (label: string) => `${label} is required, but no column has it`,
  mayNotAdd: 'You cannot add records to this table',
  mayNotChange: 'You cannot change records of this table',
})

/** Formats a share. Never 100 % unless all values are valid. */
export function shareOf(fit: number, filled: number): string {
  const share = Math.floor((fit / filled) * 1_000) / 1_000
  return share.toLocaleString(pageLocale(), { style: 'percent', maximumFractionDigits: 1 })
}
