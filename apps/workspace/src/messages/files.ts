import { formatBytes, formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

/** Texts of fields with photos, files or signatures. */
export const fileMessages = inLanguages('fileMessages', {
  add: 'Add files',
  takePhoto: 'Take a photo',
  none: 'No files',
  afterCreate: 'You can add files once the record is created.',
  untilSaved: 'Added when you save. Until then they are lost if you leave this page.',
  notReady: 'Files can be added after the next sync.',
  adding: (count: number) => icu('Adding {count, plural, one {# file} other {# files}}', { count }),
  added: (count: number) => icu('{count, plural, one {# file} other {# files}} added', { count }),
  tooMany: (max: number) => `A field has at most ${formatCount(max)} files.`,
  tooLarge: (names: readonly string[], max: number) =>
    `${names.join(', ')}: a file can have at most ${formatBytes(max)}.`,
  sign: 'Sign',
  notSigned: 'Not signed',
  cancel: 'Cancel',
  save: (name: string) => `Save ${name}`,
  load: (name: string) => `Load ${name}`,
  remove: (name: string) => `Remove ${name}`,
  removeTitle: (name: string) => `Remove ${name}?`,
  removeDetail: 'It is deleted for everyone, on every device.',
  removeLabel: 'Remove',
  removed: (name: string) => `${name} removed`,
  change: (label: string) => `change of ${label}`,
})
