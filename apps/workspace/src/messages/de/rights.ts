import { capitalize, formatCount, humanize } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { rightMessages as english } from '../rights.ts'

export const rightMessages: Translation<typeof english> = {
  readOnly: () => 'Sie können diesen Eintrag lesen, aber nicht ändern.',
  partlyReadOnly: 'Was hier als Text steht, können Sie lesen, aber nicht ändern.',
  notGranted: 'Ihre Rolle darf es nicht ändern.',
  others: (rules) => `Andere können es, nach ${rules.map((rule) => `„${humanize(rule)}“`).join(' oder ')}.`,
  nobody: 'Niemand darf es ändern.',
  forbidden: (rules) => `Nicht erlaubt nach ${rules.map((rule) => `„${humanize(rule)}“`).join(' und ')}.`,
  notOffered: (choices, reason) => `Nicht zur Auswahl: ${choices.join(', ')}. ${reason}`,
  stays: (label) => `${label} bleibt, wie es ist.`,
  staysAt: (label, value) => `${label} bleibt „${value}“.`,
  startsAs: (label, values) => `${label} beginnt mit ${values}.`,
  goesOnTo: (_label, value, next) => `Auf „${value}“ folgt ${next}.`,
  required: (label) => `${label} braucht einen Wert.`,
  tooLong: (label, length) => `${label} hat höchstens ${formatCount(length)} Zeichen.`,
  partTitle: (refused, all, one, many) =>
    icu(
      '{refused, number} von {all, number} {others} {refused, plural, one {kann} other {können}} nicht so geändert werden',
      {
        refused,
        all,
        others: capitalize(all === 1 ? one : many),
      },
    ),
  partGo: (going, one, many) =>
    icu('Mit {going, number} {others} weitermachen', { going, others: capitalize(going === 1 ? one : many) }),
  partDetail: (label) => `Die anderen bleiben, wie sie sind. Es geht um: ${label}.`,
  noneGoes: (label, reason) => `Nichts wurde geändert (${label}). ${reason}`,
}
