import type { FunctionCall } from '@holdfast/protocol'

/**
 * Parses headers, one a line as `Name: value`. Empty lines are ignored.
 *
 * @throws {Error} naming the first line that is no header
 */
export function readHeaders(text: string): FunctionCall['headers'] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === '') return []
    const [, name, value] = /^\s*([^\s:]+)\s*:(.*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) throw new Error(`Line ${index + 1} is not “Name: value”.`)
    return [{ name, value: value.trim() }]
  })
}
