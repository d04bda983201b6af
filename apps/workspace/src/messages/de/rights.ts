import { capitalize, formatCount, humanize } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { rightMessages as english } from '../rights.ts'
import { germanSentence } from './rule-sentences.ts'

export const rightMessages: Translation<typeof english> = {
  readOnly: () => 'Sie können diesen Eintrag lesen, aber nicht ändern.',
  partlyReadOnly: 'Was hier als Text steht, können Sie lesen, aber nicht ändern.',
  notGranted: 'Ihre Rolle darf es nicht ändern.',
  others: (rules) => `Andere können es, nach ${rules.map((rule) => `„${humanize(rule)}“`).join(' oder ')}.`,
  nobody: 'Niemand darf es ändern.',
  forbidden: (rules) => `Nicht erlaubt nach ${rules.map((rule) => `„${humanize(rule)}“`).join(' und ')}.`,
  notOffered: (choices, reason) => `${choices.join(', ')}: ${reason}`,
  stays: (label) => `${label} bleibt, wie es ist.`,
  staysAt: (label, value) => `${label} bleibt „${value}“.`,
  startsAs: (label, values) => `${label} beginnt mit ${values}.`,
  goesOnTo: (_label, value, next) => `Auf „${value}“ folgt ${next}.`,
  said: germanSentence,
  required: (label) => `${label} braucht einen Wert.`,
  tooLong: (label, length) => `${label} hat höchstens ${formatCount(length)} Zeichen.`,
  partTitle: (refused, all, one, many, isDeletion) => {
    const others = capitalize(all === 1 ? one : many)
    return isDeletion
      ? icu(
          '{refused, number} von {all, number} {others} {refused, plural, one {kann} other {können}} nicht gelöscht werden',
          {
            refused,
            all,
            others,
          },
        )
      : icu(
          '{refused, number} von {all, number} {others} {refused, plural, one {kann} other {können}} nicht geändert werden',
          {
            refused,
            all,
            others,
          },
        )
  },
  cellsTitle: (cells) =>
    icu('{cells, plural, one {# Zelle kann} other {# Zellen können}} nicht geändert werden', { cells }),
  noneTitle: (isDeletion) => (isDeletion ? 'Nichts kann gelöscht werden' : 'Nichts kann geändert werden'),
  partGo: (going, one, many, isDeletion) => {
    const others = capitalize(going === 1 ? one : many)
    return isDeletion
      ? icu('{going, number} {others} löschen', { going, others })
      : icu('{going, number} {others} ändern', { going, others })
  },
  partDetail: (label) => `Der Rest geht weiter: ${label}.`,
  records: (count, one, many) => icu('{count, number} {noun}', { count, noun: capitalize(count === 1 ? one : many) }),
  cells: (count) => icu('{count, plural, one {# Zelle} other {# Zellen}}', { count }),
  moreReasons: (count) => icu('{count, plural, one {# weiterer Grund} other {# weitere Gründe}}', { count }),
  noneGoes: (label, reason) => `Nichts wurde geändert (${label}). ${reason}`,
}
