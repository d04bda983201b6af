import { formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

/** Texts of the grid's appearance settings. */
export const lookMessages = inLanguages('lookMessages', {
  group: 'Group',
  groupCount: (count: number) => icu('Group, by {count, plural, one {# field} other {# fields}}', { count }),
  look: 'Look',
  lookCount: (count: number) => `Look, ${formatCount(count)} set`,
  /** Meanings of the rules' colours. */
  tones: { danger: 'Urgent', warning: 'Attention', success: 'In order', info: 'Note' },
  automatic: 'As on this device',
  height: 'Row height',
  heights: { compact: 'Compact', medium: 'Medium', tall: 'Tall' },
  frozen: 'Columns that stay in sight',
  columns: (count: number) =>
    count === 0 ? 'None' : icu('{count, plural, one {# column} other {# columns}}', { count }),
  rules: 'Colours',
  rule: 'Rule',
  addRule: 'Add a rule',
  removeRule: 'Remove the rule',
  tone: 'Mark as',
  target: 'What is marked',
  whole: 'The whole record',
  noConditions: 'Add a condition to say which records are marked.',
  moveUp: (label: string) => `Move ${label} up`,
  moveDown: (label: string) => `Move ${label} down`,
})
