import { formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

/** Texts below a field that say what to enter. */
export const fieldMessages = inLanguages('fieldMessages', {
  required: (label: string) => `${label} needs a value`,
  notStored: 'Not stored: this device is full. Free up space, then enter it again.',
  /** @param reason - a sentence */
  notSaved: (reason: string) => `Not saved. ${reason}`,
  notKept: (label: string) => `What you wrote in ${label} could not be saved`,
  copy: 'Copy',
  email: 'Enter an e-mail address like name@example.com',
  url: 'Enter a web address that begins with https:// or http://',
  number: 'Enter a number',
  /** The sign button of a number field, by the field's name. */
  changeSign: (label: string) => `Change the sign of ${label}`,
  wholeNumber: 'Enter a whole number',
  digits: (digits: number) =>
    icu('At most {digits, plural, one {one digit} other {# digits}} after the point', { digits }),
  between: (min: string, max: string) => `Between ${min} and ${max}`,
  boolean: 'Enter yes or no',
  date: (from: number, to: number) => `Enter a date between ${from} and ${to}, such as 2026-11-20 or 20 Nov`,
  datetime: 'Enter a date and a time, such as 2026-11-20 14:30',
  choice: (choices: readonly string[]) => `Choose one of: ${choices.join(', ')}`,
  link: 'Choose a record from the list',
  uuid: 'Enter an id of 32 hexadecimal digits',
  json: 'Enter valid JSON',
  binary: 'This field cannot be edited here',
  tooLong: (max: number, length: number) => `At most ${formatCount(max)} characters; there are ${formatCount(length)}`,
  empty: 'Empty',
  yes: 'Yes',
  no: 'No',
  choose: 'Choose',
  search: 'Search',
  chosen: (label: string) => `${label}, chosen`,
  clear: 'Clear',
  noOption: 'Nothing matches',
  openLink: (label: string) => `Open ${label}`,
  /** Columns that the database fills in, by name. */
  system: { id: 'ID', created_at: 'Created', created_by: 'Created by', updated_at: 'Updated' },
  optional: 'optional',
  requiredMark: 'required',
  /** Below a time field: its time zone. */
  zone: (name: string) => `Time in ${name}`,
})
