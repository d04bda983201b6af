import { HoldfastError, parseDotenv } from '@holdfast/foundation'

/**
 * Sets and removes variables in the text of a file as of dotenv, and leaves everything else in it as it is: comments, order, blank lines.
 *
 * @param changes - `undefined` removes
 * @returns the new text, which is read as what is wanted and nothing else
 * @throws {HoldfastError} `secrets_file_invalid` if the file cannot be changed safely
 */
export function editEnv(text: string, changes: ReadonlyMap<string, string | undefined>): string {
  const wanted = new Map(Object.entries(parseDotenv(text)))
  let edited = text
  for (const [name, value] of changes) {
    wanted.delete(name)
    edited = edited.replaceAll(definitionOf(name), '')
    if (value === undefined) continue
    wanted.set(name, value)
    edited = `${edited}${edited === '' || edited.endsWith('\n') ? '' : '\n'}${name}=${quote(value)}\n`
  }
  const read = Object.entries(parseDotenv(edited))
  if (read.length === wanted.size && read.every(([name, value]) => wanted.get(name) === value)) return edited
  throw new HoldfastError('secrets_file_invalid', 500, 'The file of the secrets cannot be changed without harm.', {
    hint: 'Something in it is read otherwise than it looks. Change it with an editor.',
  })
}

/** A variable and its value, which quotes may spread over several lines. */
function definitionOf(name: string): RegExp {
  const quoted = `'[^']*'|\`[^\`]*\`|"(?:[^"\\\\]|\\\\[^])*"`
  return new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*(?:=|:(?=\\s))[ \\t]*(?:${quoted})?[^\\n]*\\n?`, 'gm')
}

/** Single quotes hold every text but themselves as it is, and other programs read them alike. */
function quote(value: string): string {
  if (/^[\w./:@%+,=-]+$/.test(value)) return value
  if (!/['\r]/.test(value)) return `'${value}'`
  return `"${value
    .replaceAll(/["\\$]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')}"`
}
