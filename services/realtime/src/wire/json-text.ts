// Payloads are forwarded as text: parsing and serializing would change large numbers, `1.10`, duplicate names and escapes. These functions locate parts in JSON
// that is known to be valid.

/** Returns the text of each array element. @param text - valid JSON */
export function elementTexts(text: string): readonly string[] {
  return partsOf(text).map(([start, end]) => text.slice(start, end))
}

/** Returns the text of each object member; the last of duplicate names, as `JSON.parse` does. @param text - valid JSON */
export function memberTexts(text: string): ReadonlyMap<string, string> {
  const parts = partsOf(text)
  const members = new Map<string, string>()
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [name, value] = [parts[index], parts[index + 1]]
    if (name && value) members.set(JSON.parse(text.slice(...name)) as string, text.slice(...value))
  }
  return members
}

/** Returns the ranges of the direct children of an array or object, including names. */
function partsOf(text: string): readonly (readonly [start: number, end: number])[] {
  const parts: [number, number][] = []
  let at = text.search(/[[{]/) + 1
  while (at < text.length && text[at] !== ']' && text[at] !== '}') {
    if (/[\s,:]/.test(text[at] ?? '')) {
      at++
      continue
    }
    const end = endOfValue(text, at)
    parts.push([at, end])
    at = end
  }
  return parts
}

const PLAIN_VALUE = /[^\s,\]}]+/y

/** @param start - of the value */
function endOfValue(text: string, start: number): number {
  if (text[start] !== '"' && text[start] !== '{' && text[start] !== '[') {
    PLAIN_VALUE.lastIndex = start
    PLAIN_VALUE.test(text)
    return PLAIN_VALUE.lastIndex
  }
  let depth = 0
  let at = start
  do {
    const sign = text[at]
    if (sign === '"') at = endOfString(text, at) - 1
    else if (sign === '{' || sign === '[') depth++
    else if (sign === '}' || sign === ']') depth--
    at++
  } while (depth > 0)
  return at
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}
