import { formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

export const printMessages = inLanguages('printMessages', {
  title: (name: string) => `Print ${name}`,
  open: 'Print or save as PDF',
  print: 'Print',
  hint: 'To get a PDF, choose “Save as PDF” as the printer.',
  back: 'Back',
  paper: 'Paper',
  orientation: 'Orientation',
  portrait: 'Portrait',
  landscape: 'Landscape',
  preparing: (done: number, total: number) => `Preparing ${formatCount(done)} of ${formatCount(total)} records`,
  photosLoading: (count: number) =>
    icu('{count, plural, one {# photo is} other {# photos are}} still loading', { count }),
  photosMissing: (count: number) =>
    icu('{count, plural, one {# photo is} other {# photos are}} not on this device. Only their names are printed.', {
      count,
    }),
  records: (count: number, noun: string, many: string) =>
    icu('{count, plural, one {# {noun}} other {# {many}}}', { count, noun, many }),
  filter: (words: string) => `Filter: ${words}`,
  search: (words: string) => `Search: ${words}`,
  sorted: (fields: string) => `Sorted by ${fields}`,
  emptyFields: (fields: string) => `Without a value in any record: ${fields}`,
  printed: (moment: string) => `Printed ${moment}`,
  incomplete: (table: string) => `Some records of ${table} are not on this device, so they are missing here.`,
  unsent: (count: number) =>
    icu('{count, plural, one {# change} other {# changes}} on this device not sent yet', { count }),
  tooManyTitle: (count: number) => `${formatCount(count)} records are too many to print`,
  tooMany: (limit: number) =>
    `Up to ${formatCount(limit)} can be printed at once. Narrow the view with a filter, or export it as a file.`,
  noneTitle: 'Nothing to print',
  none: 'No record matches this view.',
  descending: (field: string) => `${field} (descending)`,
  photos: 'Photos',
  signature: 'Signature',
  missingPhoto: (name: string) => `${name} – not on this device`,
  video: (name: string) => `${name} – video`,
  photo: (index: number) => `Photo ${formatCount(index)}`,
  noAnswer: 'No answer',
  finding: (title: string) => `Finding: ${title}`,
  first: (shown: number, all: number) => `The first ${formatCount(shown)} of ${formatCount(all)}`,
  gone: 'This record is not on this device',
})
