/**
 * Parses CSV into records of fields (RFC 4180; any line ending, empty lines are skipped).
 *
 * @returns `undefined` for invalid CSV: a quote inside an unquoted field, or an unclosed quote
 */
export function parseCsv(text: string): string[][] | undefined {
  const records: string[][] = []
  let record: string[] = []
  let position = 0
  for (;;) {
    if (position >= text.length && record.length === 0) return records
    let field: string
    if (text[position] === '"') {
      const parts: string[] = []
      position++
      for (;;) {
        const quote = text.indexOf('"', position)
        if (quote < 0) return undefined
        parts.push(text.slice(position, quote))
        position = quote + 1
        if (text[position] !== '"') break
        parts.push('"')
        position++
      }
      field = parts.join('')
    } else {
      const start = position
      while (position < text.length && !isDelimiter(text[position])) position++
      field = text.slice(start, position)
      if (text[position] === '"') return undefined
    }
    const delimiter = text[position]
    if (delimiter === ',') {
      record.push(field)
      position++
      continue
    }
    if (delimiter !== undefined && delimiter !== '\n' && delimiter !== '\r') return undefined
    position += delimiter === '\r' && text[position + 1] === '\n' ? 2 : 1
    if (record.length > 0 || field !== '') records.push([...record, field])
    record = []
  }
}

function isDelimiter(character: string | undefined): boolean {
  return character === ',' || character === '\n' || character === '\r' || character === '"'
}
