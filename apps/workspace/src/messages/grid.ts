import { formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

export const gridMessages = inLanguages('gridMessages', {
  notStored: 'Not stored: this device is full. Free up space, then press Enter.',
  gridName: (table: string) => `${table}, grid`,
  listName: (table: string) => `${table}, list`,
  searchIn: (table: string) => `Search in ${table}`,
  search: 'Search in view',
  searchShort: 'Search',
  filter: 'Filter',
  filterCount: (count: number) => icu('Filter, {count, plural, one {# condition} other {# conditions}}', { count }),
  sort: 'Sort',
  sortCount: (count: number) => icu('Sort, {count, plural, one {# field} other {# fields}}', { count }),
  fields: 'Fields',
  fieldsHidden: (count: number) => `Fields, ${formatCount(count)} hidden`,
  asList: 'Show as list',
  asGrid: 'Show as grid',
  newRecord: 'New',
  newOf: (noun: string) => `New ${noun}`,
  view: 'View',

  clearFilters: 'Clear filters',

  sortBy: (label: string, state: 'none' | 'ascending' | 'descending') =>
    state === 'none'
      ? `Sort by ${label}`
      : state === 'ascending'
        ? `Sort by ${label} the other way round`
        : `Stop sorting by ${label}`,

  rowHeader: 'Record',
  addField: 'Add field',
  menuOf: (label: string) => `Menu of ${label}`,
  check: (title: string) => `Select ${title}`,
  checkAll: 'Select all records',
  rowHeaderName: (row: number) => `Row ${formatCount(row)}`,
  openRecord: (title: string) => `Open ${title}`,
  cell: (label: string, text: string) => `${label}: ${text}`,
  emptyCell: 'empty',
  late: 'late',
  changedCell: 'changed on this device',
  readOnlyCell: 'This field is filled in automatically',
  readOnlyTable: 'You can read this table but not change it',
  editing: (label: string) => `Edit ${label}`,

  count: (shown: number, total: number, noun: string, many: string) =>
    shown === total
      ? icu('{total, plural, one {# {noun}} other {# {many}}}', { total, noun, many })
      : icu('{shown, number} of {total, plural, one {# {noun}} other {# {many}}}', { shown, total, noun, many }),
  fillHandle: 'Drag to fill',
  changesCells: (cells: number) => icu('Changes {cells, plural, one {# cell} other {# cells}}', { cells }),
  selected: (cells: number) => icu('{cells, plural, one {# cell} other {# cells}} selected', { cells }),
  changed: (rows: number) => icu('{rows, plural, one {# record} other {# records}} changed on this device', { rows }),
  refused: (rows: number) => icu('{rows, plural, one {# record} other {# records}} not accepted', { rows }),

  reading: (many: string) => `Reading ${many} from this device`,
})
