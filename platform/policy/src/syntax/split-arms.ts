/**
 * Splits Postgres's printed `(a OR b OR c)` into its arms, relying on its parentheses around compound parts. The caller verifies their number with the parser.
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

/** Returns the position after a string or quoted name with doubled quotes. */
function endOfQuoted(text: string, start: number): number {
  const end = text.indexOf(text[start] as string, start + 1)
  return end < 0 ? text.length : end + 1
}

/** Strips enclosing parentheses. */
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
