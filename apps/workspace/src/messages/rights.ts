import { formatCount, humanize } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

/** Texts for users who may not write. */
export const rightMessages = inLanguages('rightMessages', {
  /** For a whole record. */
  readOnly: (noun: string) => `You can read this ${noun}, but not change it.`,
  /** For most fields of a record. */
  partlyReadOnly: 'Fields shown as plain text are read-only.',
  notGranted: 'Your role may not change it.',
  /** @param rules - policy names, as their author wrote them */
  others: (rules: readonly string[]) => `Others can, by ${rules.map((rule) => `“${humanize(rule)}”`).join(' or ')}.`,
  nobody: 'Nobody may change it.',
  forbidden: (rules: readonly string[]) =>
    `Not allowed by ${rules.map((rule) => `“${humanize(rule)}”`).join(' and ')}.`,
  notOffered: (choices: readonly string[], reason: string) => `${choices.join(', ')}: ${reason}`,
  stays: (label: string) => `${label} stays as it is.`,
  staysAt: (label: string, value: string) => `${label} stays ${value}.`,
  startsAs: (label: string, values: string) => `${label} of a new record is ${values}.`,
  goesOnTo: (label: string, value: string, next: string) => `${label} goes from ${value} to ${next}.`,
  /** A sentence of the database, such as `Reason is required when State is Blocked.`, as the reader's language says it. */
  said: (sentence: string) => sentence,
  required: (label: string) => `${label} needs a value.`,
  tooLong: (label: string, length: number) => `${label} has at most ${formatCount(length)} characters.`,
  /** For a command on several records. */
  partTitle: (refused: number, all: number, one: string, many: string, isDeletion: boolean) =>
    isDeletion
      ? icu('{refused, number} of {all, plural, one {# {one}} other {# {many}}} cannot be deleted', {
          refused,
          all,
          one,
          many,
        })
      : icu('{refused, number} of {all, plural, one {# {one}} other {# {many}}} cannot be changed', {
          refused,
          all,
          one,
          many,
        }),
  cellsTitle: (cells: number) =>
    icu('{cells, plural, one {# cell cannot} other {# cells cannot}} be changed', { cells }),
  noneTitle: (isDeletion: boolean) => (isDeletion ? 'Nothing can be deleted' : 'Nothing can be changed'),
  partGo: (going: number, one: string, many: string, isDeletion: boolean) =>
    isDeletion
      ? icu('Delete {going, plural, one {# {one}} other {# {many}}}', { going, one, many })
      : icu('Change {going, plural, one {# {one}} other {# {many}}}', { going, one, many }),
  partDetail: (label: string) => `The rest of the ${label} can go ahead.`,
  records: (count: number, one: string, many: string) =>
    icu('{count, plural, one {# {one}} other {# {many}}}', { count, one, many }),
  cells: (count: number) => icu('{count, plural, one {# cell} other {# cells}}', { count }),
  moreReasons: (count: number) => icu('{count, plural, one {# more reason} other {# more reasons}}', { count }),
  /** For all records of a command. */
  noneGoes: (label: string, reason: string) => `Nothing was changed by the ${label}. ${reason}`,
})
