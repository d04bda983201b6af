import { StringDecoder } from 'node:string_decoder'
import type { Readable } from 'node:stream'

/** Calls back for each line of a stream. Splits overlong lines to bound memory. */
export function onLines(stream: Readable, charactersMax: number, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  stream.on('data', (chunk: Buffer) => {
    const parts = (rest + decoder.write(chunk)).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) onLine(part)
    if (rest.length > charactersMax) {
      onLine(rest)
      rest = ''
    }
  })
  stream.on('end', () => {
    if (rest !== '') onLine(rest)
  })
  stream.on('error', () => undefined) // the process has ended, which is reported separately
}
