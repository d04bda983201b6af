import { assert } from '@holdfast/foundation'
import type { Tuple } from '../events.ts'

const NEWLINE = 0x0a

/**
 * Parses a line of `COPY … TO STDOUT` in text format.
 *
 * @param start - of the line in `buffer`
 * @param end - after its newline
 * @see PostgreSQL manual, COPY, "Text Format"
 */
export function parseCopyRow(buffer: Buffer, start: number, end: number): Tuple {
  assert(buffer[end - 1] === NEWLINE, 'Postgres sends one whole line per CopyData message')
  const line = buffer.toString('utf8', start, end - 1)
  const fields: (string | null)[] = line.split('\t')
  if (!line.includes('\\')) return fields
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index] as string
    if (field === '\\N') fields[index] = null
    else if (field.includes('\\')) fields[index] = unescape(field)
  }
  return fields
}

const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

function unescape(field: string): string {
  return field.replaceAll(/\\([\s\S])/g, (_, letter: string) => ESCAPED[letter] ?? letter)
}
