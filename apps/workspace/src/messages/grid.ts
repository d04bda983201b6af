import { formatCount, plural } from '../lib/format.ts'

/** One for each operator of a filter. */
const operators = {
  has: 'contains',
  hasnt: 'does not contain',
  starts: 'begins with',
  is: 'is',
  isnt: 'is not',
  lt: 'is less than',
  lte: 'is at most',
  gt: 'is greater than',
  gte: 'is at least',
  before: 'is before',
  after: 'is after',
  in: 'is one of',
  notin: 'is none of',
  yes: 'is yes',
  no: 'is no',
  empty: 'is empty',
  filled: 'has a value',
} as const

export const gridMessages = {
  notStored: 'Not stored: this device is full. Free up space, then press Enter.',
  operators,
  gridName: (table: string) => `${table}, grid`,
  listName: (table: string) => `${table}, list`,
  searchIn: (table: string) => `Search in ${table}`,
  search: 'Search in view',
  filter: 'Filter',
  filterCount: (count: number) => `Filter, ${plural(count, 'condition')}`,
  sort: 'Sort',
  sortCount: (count: number) => `Sort, ${plural(count, 'field')}`,
  fields: 'Fields',
  fieldsHidden: (count: number) => `Fields, ${formatCount(count)} hidden`,
  asList: 'Show as list',
  asGrid: 'Show as grid',
  newRecord: 'New',
  newOf: (noun: string) => `New ${noun}`,
  view: 'View',

  addCondition: 'Add a condition',
  removeCondition: 'Remove the condition',
  addGroup: 'Add a group',
  removeGroup: 'Remove the group',
  group: 'Group of conditions',
  clearFilters: 'Clear filters',
  noConditions: 'All records are shown. Add a condition to narrow them.',
  match: 'Show records that fit',
  matchAll: 'all conditions',
  matchAny: 'any condition',
  field: 'Field',
  operator: 'Condition',
  value: 'Value',
  chooseValue: 'Choose',
  conditionsFull: 'No more conditions fit',
  dayHint: 'A date, or today, today-7, today+30',

  addSort: 'Add a field',
  noSorts: 'Records are in no special order.',
  ascending: 'Ascending',
  descending: 'Descending',
  removeSort: 'Remove from the order',
  clearSorts: 'Clear the order',
  sortBy: (label: string, state: 'none' | 'ascending' | 'descending') =>
    state === 'none'
      ? `Sort by ${label}`
      : state === 'ascending'
        ? `Sort by ${label} the other way round`
        : `Stop sorting by ${label}`,

  rowHeader: 'Record',
  rowHeaderName: (row: number) => `Row ${formatCount(row)}`,
  openRecord: (title: string) => `Open ${title}`,
  cell: (label: string, text: string) => `${label}: ${text}`,
  emptyCell: 'empty',
  late: 'late',
  changedCell: 'changed on this device',
  yes: 'yes',
  no: 'no',
  readOnlyCell: 'This field is kept by the database',
  readOnlyTable: 'You can read this table but not change it',
  editing: (label: string) => `Edit ${label}`,

  count: (shown: number, total: number, noun: string, many: string) =>
    shown === total ? plural(total, noun, many) : `${formatCount(shown)} of ${plural(total, noun, many)}`,
  selected: (cells: number) => `${plural(cells, 'cell')} selected`,
  sum: (sum: string) => `Sum ${sum}`,
  changed: (rows: number) => `${plural(rows, 'record')} changed on this device`,
  refused: (rows: number) => `${plural(rows, 'record')} not accepted`,

  reading: (many: string) => `Reading ${many} from this device`,
  noRecords: (many: string) => `No ${many} here yet`,
  noRecordsDetail:
    'There are none, or the access rules show you none of them. A new one is on this device at once and sent by itself.',
  noRecordsReadOnly: 'You can see this table but none of its rows',
  noRecordsReadOnlyDetail:
    'Which rows you see is decided by the access rules of the database. Ask your operator if something is missing.',
  noMatch: (total: number) => `0 of ${formatCount(total)} match`,
  noMatchDetail: 'Nothing fits the search and the filter together.',
  noAccess: 'This table is not visible to you',
  noAccessDetail: 'It may not exist, or the access rules of the database do not let you read it.',
  errorTitle: 'This view cannot be shown',
  resetView: 'Reset the view',
  pasteNothing: 'There is nothing to paste',
  pasteFailed: (count: number, first: string) =>
    `${plural(count, 'value')} did not fit and ${count === 1 ? 'was' : 'were'} left out. ${first}`,
  clipboardDenied: 'The browser did not allow access to the clipboard',
  copied: (cells: number) => `${plural(cells, 'cell')} copied`,
  copyTooMany: (max: number) => `At most ${formatCount(max)} rows can be copied at once`,
  editTooMany: (max: number) => `At most ${formatCount(max)} rows can be changed at once`,
} as const
