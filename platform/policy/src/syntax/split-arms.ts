/**
 * Splits what Postgres printed of `(a OR b OR c)` into its arms: it writes everything that has parts in parentheses of its own. The caller compares their number
 * with what the parser found.
 */
export function splitArms(text: string, word: 'AND' | 'OR'): readonly string[] {
  const inner = withoutParentheses(text.trim())
  const arms: string[] = []
  let depth = 0
  let from = 0
  let at = 0
  while (at < inner.length) {
    const character = inner[at] as string
    if (character === '"' || character === "'") {
      at = endOfQuoted(inner, at)
      continue
    }
    if (character === '(' || character === '[') depth++
    if (character === ')' || character === ']') depth--
    if (depth === 0 && inner.startsWith(` ${word} `, at)) {
      arms.push(inner.slice(from, at))
      at += word.length + 2
      from = at
      continue
    }
    at++
  }
  return [...arms, inner.slice(from)]
}

/** The place behind a string or a quoted name, in which the quote itself is doubled. */
function endOfQuoted(text: string, start: number): number {
  const end = text.indexOf(text[start] as string, start + 1)
  return end < 0 ? text.length : end + 1
}

/** Without parentheses around all of it. */
function withoutParentheses(text: string): string {
  if (!text.startsWith('(')) return text
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string
    if (character === '"' || character === "'") {
      at = endOfQuoted(text, at) - 1
      continue
    }
    if (character === '(') depth++
    if (character === ')' && --depth === 0)
      return at === text.length - 1 ? withoutParentheses(text.slice(1, -1).trim()) : text
  }
  return text
}
