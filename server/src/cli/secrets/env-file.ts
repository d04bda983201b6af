import { parseEnv } from 'node:util'
import { HoldfastError } from '@holdfast/foundation'

/**
 * Sets and removes variables in the text of a file as of dotenv, and leaves everything else in it as it is: comments, order, blank lines.
 *
 * @param changes - `undefined` removes
 * @returns the new text, which is read as what is wanted and nothing else
 * @throws {HoldfastError} `secret_invalid` for a value that no quotes can hold; `secrets_file_invalid` if the file cannot be changed safely
 */
export function editEnv(text: string, changes: ReadonlyMap<string, string | undefined>): string {
  const wanted = new Map(Object.entries(parseEnv(text)))
  let edited = text
  for (const [name, value] of changes) {
    wanted.delete(name)
    edited = edited.replaceAll(definitionOf(name), '')
    if (value === undefined) continue
    wanted.set(name, value)
    edited = `${edited}${edited === '' || edited.endsWith('\n') ? '' : '\n'}${name}=${quote(name, value)}\n`
  }
  const read = Object.entries(parseEnv(edited))
  if (read.length === wanted.size && read.every(([name, value]) => wanted.get(name) === value)) return edited
  throw new HoldfastError('secrets_file_invalid', 500, 'The file of the secrets cannot be changed without harm.', {
    hint: 'Something in it is read otherwise than it looks. Change it with an editor.',
  })
}

/** A variable and its value, which quotes may spread over several lines. */
function definitionOf(name: string): RegExp {
  return new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=[ \\t]*(?:'[^']*'|"[^"]*"|\`[^\`]*\`)?[^\\n]*\\n?`, 'gm')
}

/** In double quotes `\n` would be read as a line break, so they come last. */
function quote(name: string, value: string): string {
  if (/^[\w./:@%+,=-]+$/.test(value)) return value
  const candidates = ["'", '`', '"'].map((mark) => `${mark}${value}${mark}`)
  const found = candidates.find((candidate) => parseEnv(`${name}=${candidate}\n`)[name] === value)
  if (found !== undefined) return found
  throw new HoldfastError('secret_invalid', 500, `The value of ${name} has all kinds of quotes in it.`, {
    hint: 'A file as of dotenv cannot hold it. Encode it, as base64 for example.',
  })
}
