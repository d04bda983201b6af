/** A column name. Keywords such as `CURRENT_USER` are printed in capitals. */
const COLUMN = /^(?:[a-z_][a-z0-9_$]*|"(?:[^"]|"")+")$/
/** Without backslashes, which are printed as `E'…'`. */
const LITERAL = /^'((?:[^']|'')*)'$/
/** An array literal whose elements need no quotes. */
const ARRAY_TEXT = /^'\{([^'"{}\\]*)\}'$/

/**
 * Parses the texts that a CHECK on one column allows, in order: `x in ('a', 'b')`, `x = any (array[…])`, `x = 'a' or x = 'b'`, each optionally with `or x is
 * null`, and such a list combined with other conditions by AND.
 *
 * @param expression - over one column, as printed by `pg_get_expr`
 * @returns `undefined` for any other form
 */
export function choicesOfCheck(expression: string): readonly string[] | undefined {
  const text = stripped(expression)
  const all = splitAt(text, ' AND ')
  if (all.length > 1) {
    const lists = all.map(choicesOfCheck).filter((list) => list !== undefined)
    const [first, ...others] = lists
    return first?.filter((choice) => others.every((list) => list.includes(choice)))
  }
  const any = splitAt(text, ' OR ')
  const lists = any
    .filter((part) => !isNullTest(part))
    .map((part) => (any.length > 1 ? choicesOfCheck(part) : listed(part)))
  if (lists.length === 0 || lists.some((list) => list === undefined)) return undefined
  return [...new Set(lists.flatMap((list) => list ?? []))]
}

/** Parses `x = 'a'` or `x = ANY (ARRAY['a', 'b'])`. */
function listed(condition: string): readonly string[] | undefined {
  const [left, right, more] = splitAt(condition, ' = ')
  if (left === undefined || right === undefined || more !== undefined || !COLUMN.test(stripped(left))) return undefined
  const [, array] = /^ANY \((.*)\)$/s.exec(right) ?? []
  if (array === undefined) return literals([right])
  const of = stripped(array)
  const [, elements] = /^ARRAY\[(.*)\]$/s.exec(of) ?? []
  if (elements !== undefined) return literals(splitAt(elements, ', '))
  const words = ARRAY_TEXT.exec(of)?.[1]?.split(',')
  return words?.some((word) => word.trim() !== word || word === '' || /^null$/i.test(word)) === false
    ? words
    : undefined
}

function literals(texts: readonly string[]): readonly string[] | undefined {
  const found = texts.map((text) => LITERAL.exec(stripped(text))?.[1]?.replaceAll("''", "'"))
  return found.some((one) => one === undefined) ? undefined : found.filter((one) => one !== undefined)
}

function isNullTest(condition: string): boolean {
  const [, column] = /^(.*) IS NULL$/s.exec(stripped(condition)) ?? []
  return column !== undefined && COLUMN.test(stripped(column))
}

/** Strips enclosing parentheses and casts between text types. */
function stripped(text: string): string {
  const uncast = text.replace(/::(?:text|character varying)(?:\[\])?$/, '')
  if (uncast !== text && splitAt(uncast, '::').length === 1) return stripped(uncast)
  return text.startsWith('(') && closing(text) === text.length - 1 ? stripped(text.slice(1, -1)) : text
}

/** Finds the parenthesis that closes the first one. */
function closing(text: string): number | undefined {
  for (const [place, depth] of depths(text)) if (place > 0 && depth === 0) return place
  return undefined
}

/** Splits at top-level separators: those outside parentheses, brackets and quotes. */
function splitAt(text: string, sign: string): readonly string[] {
  const parts: string[] = []
  let from = 0
  for (const [place, depth] of depths(text)) {
    if (depth !== 0 || place < from || !text.startsWith(sign, place)) continue
    parts.push(text.slice(from, place))
    from = place + sign.length
  }
  return [...parts, text.slice(from)]
}

/** Yields positions outside quotes with their nesting depth. */
function* depths(text: string): Generator<readonly [place: number, depth: number]> {
  let depth = 0
  let quote: string | undefined
  for (let place = 0; place < text.length; place++) {
    const sign = text[place] ?? ''
    if (quote !== undefined) {
      if (sign === quote) quote = undefined
      continue
    }
    if (sign === "'" || sign === '"') quote = sign
    else {
      if (sign === '(' || sign === '[') depth++
      if (sign === ')' || sign === ']') depth--
      yield [place, depth]
    }
  }
}
