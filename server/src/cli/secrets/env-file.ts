import { HoldfastError, parseDotenv } from '@holdfast/foundation'

/**
 * Sets and removes variables in a dotenv text, preserving comments, order and blank lines.
 *
 * @param changes - `undefined` removes
 * @returns the new text, verified to parse as intended
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

/** Matches a variable with its value, which may be quoted over several lines. */
function definitionOf(name: string): RegExp {
  const quoted = `'[^']*'|\`[^\`]*\`|"(?:[^"\\\\]|\\\\[^])*"`
  return new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*(?:=|:(?=\\s))[ \\t]*(?:${quoted})?[^\\n]*\\n?`, 'gm')
}

/** Single quotes preserve any text without single quotes, consistently across programs. */
function quote(value: string): string {
  if (/^[\w./:@%+,=-]+$/.test(value)) return value
  if (!/['\r]/.test(value)) return `'${value}'`
  return `"${value
    .replaceAll(/["\\$]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')}"`
}
