import { capitalize, formatCount, humanize } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { rightMessages as english } from '../rights.ts'

/** Sentences that the server writes about rules set in the app (migrations 0041, 0075 and 0076), and their German. Others stay as their author wrote them. */
const SENTENCES: readonly (readonly [RegExp, (...parts: readonly string[]) => string])[] = [
  [/^(.+?) is required when (.+)\.$/, (label, conditions) => `${label} ist Pflicht, wenn ${conditionsOf(conditions)}.`],
  [
    /^Not everyone sets (.+?) to (.+)\.$/,
    (label, value) => `Nicht alle dürfen ${label} auf \u201e${value}\u201c setzen.`,
  ],
  [/^(.+?) stays (.+)\.$/, (label, value) => `${label} bleibt \u201e${value}\u201c.`],
  [
    /^(.+?) of a new record is (.+)\.$/,
    (label, values) => `${label} beginnt mit ${values.replaceAll(' or ', ' oder ')}.`,
  ],
  [
    /^(.+?) goes from (.+?) to (.+)\.$/,
    (label, from, to) => `${label}: Auf \u201e${from}\u201c folgt ${to.replaceAll(' or ', ' oder ')}.`,
  ],
  [
    /^(Members|Commenters|Editors) (see|add|change|delete) (these records|the records that they added|the records assigned to them|the records of their teams)( under the conditions of the rule)?\.$/,
    (who, verb, which, when) =>
      `${WHO[who] ?? who} ${VERBS[verb] ?? verb} ${WHICH[which] ?? which}${when === '' ? '' : ', soweit die Bedingungen der Regel gelten'}.`,
  ],
  [/^Editors of the workspace change these records\.$/, () => 'Ab Bearbeiten darf man diese Einträge ändern.'],
  [/^People change the records that they made\.$/, () => 'Alle ändern die Einträge, die sie angelegt haben.'],
  [/^Members of the team change its records\.$/, () => 'Mitglieder des Teams ändern seine Einträge.'],
  [
    /^Owners and admins of the workspace change all records\.$/,
    () => 'Inhaber und Admins des Arbeitsbereichs ändern alle Einträge.',
  ],
  [
    /^Guests change the records that are shared with them for that\.$/,
    () => 'Gäste ändern die Einträge, die dafür mit ihnen geteilt sind.',
  ],
]

const WHO: Readonly<Record<string, string>> = {
  Members: 'Mitglieder',
  Commenters: 'Kommentierende',
  Editors: 'Bearbeitende',
}
const VERBS: Readonly<Record<string, string>> = { see: 'sehen', add: 'erstellen', change: 'ändern', delete: 'löschen' }
const WHICH: Readonly<Record<string, string>> = {
  'these records': 'diese Einträge',
  'the records that they added': 'Einträge, die sie angelegt haben',
  'the records assigned to them': 'ihnen zugewiesene Einträge',
  'the records of their teams': 'Einträge ihrer Teams',
}

function germanOf(sentence: string): string {
  for (const [pattern, german] of SENTENCES) {
    const found = pattern.exec(sentence)
    if (found) return german(...found.slice(1).map((part: string | undefined) => part ?? ''))
  }
  return sentence
}

/** `State is Blocked or Done and Cause is empty` in German. */
function conditionsOf(conditions: string): string {
  return conditions
    .split(' and ')
    .map((one) => {
      const [, label, isNot, value] = /^(.+?) is (not )?(.+)$/.exec(one) ?? []
      if (label === undefined || value === undefined) return one
      if (value === 'empty') return `${label} leer ist`
      if (value === 'filled in') return `${label} ausgefüllt ist`
      const values = value.split(' or ').map((word) => (word === 'yes' ? 'Ja' : word === 'no' ? 'Nein' : word))
      return `${label} ${isNot === undefined ? '' : 'nicht '}${values.join(' oder ')} ist`
    })
    .join(' und ')
}

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
  said: germanOf,
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
