import { icu, type Translation } from '../../lib/texts.ts'
import type { presenceMessages as english } from '../presence.ts'

export const presenceMessages: Translation<typeof english> = {
  alsoHere: (names) => `Auch hier: ${names.join(', ')}`,
  alsoHereTitle: 'Auch hier',
  more: (count) => icu('und {count, plural, one {# Person} other {# Personen}} mehr', { count }),
  editing: (names) =>
    names.length < 2
      ? `${names[0] ?? ''} bearbeitet gerade`
      : icu('{first} und {count, plural, one {# Person} other {# Personen}} mehr bearbeiten gerade', {
          first: names[0] ?? '',
          count: names.length - 1,
        }),
  typing: ([first = '', second, ...others]) => {
    if (others.length > 0)
      return icu('{first} und {count, number} andere schreiben …', { first, count: others.length + 1 })
    return second === undefined ? `${first} schreibt …` : `${first} und ${second} schreiben …`
  },
}
