/** Words that are proposed as choices at most. */
const CHOICES_MAX = 20
/** A column of choices says each of them several times. */
const REPEATED = 3
/** Characters of a word that is proposed. */
const CHOICE_LENGTH_MAX = 40
/** What a field may have; `holdfast.new_table_limit` knows the same. */
const ASKED_MAX = 100
const ASKED_LENGTH_MAX = 100

/**
 * The words of a column that has few of them, the most frequent first. Returns undefined if they are no choices: also when two of them differ only in case, because
 * `Open` and `OPEN` would look like two choices that mean one.
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
  return words.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))
}

/** Words that a person makes choices of: as many as a field may have, the most frequent ones. The others do not fit then. */
export function choicesAsked(all: readonly string[]): readonly string[] {
  const counts = Map.groupBy(
    all.filter((text) => canBeChoice(text, ASKED_LENGTH_MAX)),
    (text) => text,
  )
  return [...counts]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .slice(0, ASKED_MAX)
    .map(([text]) => text)
}

function canBeChoice(text: string, max: number): boolean {
  return text.length <= max && !/[\p{Cc}\\]/u.test(text)
}
