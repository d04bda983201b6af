import { icu, inLanguages } from '../lib/texts.ts'

/** Texts for changing the type of a field. */
export const convertFieldMessages = inLanguages('convertFieldMessages', {
  title: (label: string) => `Change the type of ${label}`,
  submit: 'Change type',
  type: 'New type',
  fixed: 'The type of this field cannot change.',
  order: 'Dates are written as',
  orders: { iso: '2026-12-31', dmy: '31.12.2026', mdy: '12/31/2026' },
  dropTime: 'Leave out the time of day',
  checking: 'Checking the values',
  options: (count: number) => icu('{count, plural, one {# option} other {# options}} from its values', { count }),
  all: (total: number) =>
    icu('{total, plural, =0 {No record has a value} one {The only value converts} other {All # values convert}}', {
      total,
    }),
  lost: (lost: number, total: number) =>
    icu('{lost, number} of {total, plural, one {# value does} other {# values do}} not convert', { lost, total }),
  values: 'Values that do not convert',
  records: (records: number) => icu('{records, plural, one {# record} other {# records}}', { records }),
  rest: 'These records',
  rests: { keep: 'Leave empty, keep the old text', empty: 'Leave empty' },
  keptIn: (label: string) => `In a new field, ${label}`,
  before: (label: string) => `${[...label].slice(0, 32).join('')} before`,
  done: (label: string) => `Type of ${label} changed`,
})
