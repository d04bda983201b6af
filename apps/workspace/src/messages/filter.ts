import { inLanguages } from '../lib/texts.ts'

/** One text per filter operator. */
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

/** Texts of the forms that filter and sort a view, which load after its rows. */
export const filterMessages = inLanguages('filterMessages', {
  operators,
  addCondition: 'Add a condition',
  removeCondition: 'Remove the condition',
  addGroup: 'Add a group',
  removeGroup: 'Remove the group',
  group: 'Group of conditions',
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
  noSorts: 'Not sorted',
  ascending: 'Ascending',
  descending: 'Descending',
  removeSort: 'Remove from the order',
  clearSorts: 'Clear sorting',
})
