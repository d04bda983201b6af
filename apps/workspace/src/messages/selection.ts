import { formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

/** Texts for several selected records. */
export const selectionMessages = inLanguages('selectionMessages', {
  selection: 'Selected records',
  clear: 'Clear selection',
  records: (count: number) => `${formatCount(count)} selected`,
  cells: (cells: number, rows: number, one: string, many: string) =>
    icu('{cells, plural, one {# cell} other {# cells}} in {rows, plural, one {# {one}} other {# {many}}}', {
      cells,
      rows,
      one,
      many,
    }),
  all: (count: number) => `Select all ${formatCount(count)}`,
  editField: 'Edit field',
  assign: 'Assign',
  export: 'Export',
  delete: 'Delete',
  addToChecklist: 'Add to checklist',
  addOf: (count: number, one: string, many: string) =>
    icu('Start a checklist for {count, plural, one {# {one}} other {# {many}}}', { count, one, many }),
  checklist: 'Checklist',
  onlyWithout: 'Records that have a checklist keep it.',
  makesRecords: (table: string) => `Adds a record to ${table} for each.`,
  hasChecklist: 'It has a checklist',
  startOf: (name: string, count: number, one: string, many: string) =>
    icu('Start {name} for {count, plural, one {# {one}} other {# {many}}}', { name, count, one, many }),
  started: (name: string, count: number, one: string, many: string) =>
    icu('{name} started for {count, plural, one {# {one}} other {# {many}}}', { name, count, one, many }),
  editOf: (count: number, one: string, many: string) =>
    icu('Edit {count, plural, one {# {one}} other {# {many}}}', { count, one, many }),
  assignTo: (count: number, one: string, many: string) =>
    icu('Assign {count, plural, one {# {one}} other {# {many}}}', { count, one, many }),
  exportOf: (count: number, one: string, many: string) =>
    icu('Export {count, plural, one {# {one}} other {# {many}}}', { count, one, many }),
  apply: 'Apply',
  chooseValue: 'Choose a value',
  deleteTitle: (count: number, one: string, many: string) =>
    icu('Delete {count, plural, one {# {one}} other {# {many}}}?', { count, one, many }),
  deleteDetail: 'You can undo this in this tab.',
  writing: 'Saving on this device',
  written: (done: number, total: number) => `${formatCount(done)} of ${formatCount(total)}`,
  cancelled: 'Cancelled. No records were changed.',
})
