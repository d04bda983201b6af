import { inLanguages } from '../lib/texts.ts'

export const historyMessages = inLanguages('historyMessages', {
  title: 'History',
  created: 'created this record',
  changed: 'changed this record',
  changeBy: (who: string, when: string) => `Change by ${who}, ${when}`,
  from: 'before',
  to: 'after',
  nothing: 'Empty',
  omitted: 'The text is too long to be kept in the history.',
  restore: 'Restore',
  restoreLabel: (field: string, value: string) =>
    value === '' ? `Empty ${field} again` : `Restore ${field} to ${value}`,
  isNow: 'This is the value now',
  empty: 'No changes yet',
  emptyDetail: 'Changes appear here from now on, no matter who makes them.',
  notHere: 'The history of this record is not on this device',
  notHereDetail: 'It comes as soon as there is a connection, and then stays here for a week.',
  coming: 'Fetching the history …',
  waiting: 'What you changed here and has not been sent is not in the history yet.',
  onlyNewest: (count: string) => `The newest ${count} changes are shown.`,
  you: 'You',
  system: 'The system',
})
