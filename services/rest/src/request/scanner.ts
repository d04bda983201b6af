import { parseFailed } from '../errors.ts'
import type { HoldfastError } from '@holdfast/foundation'

/** A text and a position that advances with each match. */
export interface Scanner {
  readonly text: string
  /** Characters consumed so far. May be reset to an earlier value to backtrack. */
  position: number
  atEnd(): boolean
  /** Returns the next character, or `''` at the end. */
  peek(): string
  /** Consumes `literal` if it is next. */
  take(literal: string): boolean
  /** Consumes a match of a sticky pattern. */
  match(pattern: RegExp): RegExpExecArray | undefined
  skipSpace(): void
  /** @throws PGRST100 unless `literal` is next */
  expect(literal: string): void
  /** Creates an error with the unexpected and the expected text. */
  failure(expecting: string): HoldfastError
}

/**
 * @param what - the parameter's name in error messages: `filter`, `select parameter`
 * @param shown - the text in error messages, if not the scanned text
 */
export function createScanner(text: string, what: string, shown = text): Scanner {
  const scanner: Scanner = {
    text,
    position: 0,
    atEnd: () => scanner.position >= text.length,
    peek: () => text.charAt(scanner.position),
    take(literal) {
      if (!text.startsWith(literal, scanner.position)) return false
      scanner.position += literal.length
      return true
    },
    match(pattern) {
      pattern.lastIndex = scanner.position
      const found = pattern.exec(text)
      if (found) scanner.position += found[0].length
      return found ?? undefined
    },
    skipSpace() {
      while (text[scanner.position] === ' ' || text[scanner.position] === '\t') scanner.position++
    },
    expect(literal) {
      if (!scanner.take(literal)) throw scanner.failure(JSON.stringify(literal))
    },
    failure(expecting) {
      const next = String.fromCodePoint(text.codePointAt(scanner.position) ?? 32)
      // Like PostgREST's parser, quotes the character differently if the text could have ended here.
      const quoted = expecting.endsWith('end of input') ? `'${next}'` : JSON.stringify(next)
      const unexpected = scanner.atEnd() ? 'end of input' : quoted
      return parseFailed(what, shown, scanner.position, `unexpected ${unexpected} expecting ${expecting}`)
    },
  }
  return scanner
}
