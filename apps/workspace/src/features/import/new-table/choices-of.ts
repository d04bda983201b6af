import { inUsualOrder } from '../../../lib/fields/choice-looks.ts'

/** Limit of proposed choices. */
const CHOICES_MAX = 20
/** Minimum average number of occurrences per choice. */
const REPEATED = 3
/** Length limit of a proposed choice, in characters. */
const CHOICE_LENGTH_MAX = 40
/** Limit of choices per field, as in `holdfast.new_table_limit`. */
const ASKED_MAX = 100
const ASKED_LENGTH_MAX = 100

/**
 * Returns the words of a column with few different ones, in their usual order. Returns undefined if they are not choices. Words that differ only in case are
 * not, because `Open` and `OPEN` would look like two choices with one meaning.
 */
export function choicesOf(all: readonly string[]): readonly string[] | undefined {
  const counts = new Map<string, number>()
  for (const text of all) {
    counts.set(text, (counts.get(text) ?? 0) + 1)
    if (counts.size > CHOICES_MAX) return undefined
  }
  const words = [...counts.keys()]
  if (new Set(words.map((word) => word.toLowerCase())).size < words.length) return undefined
  if (all.length < words.length * REPEATED || words.some((text) => !canBeChoice(text, CHOICE_LENGTH_MAX)))
    return undefined
  return inUsualOrder(words)
}

/** Returns the choices of a column that the user makes a choice field: the most frequent, up to the field's limit. Other values are then invalid. */
export function choicesAsked(all: readonly string[]): readonly string[] {
  const counts = Map.groupBy(
    all.filter((text) => canBeChoice(text, ASKED_LENGTH_MAX)),
    (text) => text,
  )
  const frequent = [...counts].toSorted(([, a], [, b]) => b.length - a.length).slice(0, ASKED_MAX)
  return inUsualOrder(frequent.map(([text]) => text))
}

function canBeChoice(text: string, max: number): boolean {
  return text.length <= max && !/[\p{Cc}\\]/u.test(text)
}
