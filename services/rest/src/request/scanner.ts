import { parseFailed } from '../errors.ts'
import type { HoldfastError } from '@holdfast/foundation'

/** A position in a text, moved forward by what matches. */
export interface Scanner {
  readonly text: string
  /** Characters consumed so far. May be set back to an earlier value to try something else. */
  position: number
  atEnd(): boolean
  /** The character at the position, or `''` at the end. */
  peek(): string
  /** Consumes `literal` if it comes next. */
  take(literal: string): boolean
  /** Consumes what a sticky pattern matches. */
  match(pattern: RegExp): RegExpExecArray | undefined
  skipSpace(): void
  /** @throws PGRST100 unless `literal` comes next */
  expect(literal: string): void
  /** The error that says what stands here and what could have stood here. */
  failure(expecting: string): HoldfastError
}

/**
 * @param what - names the parameter in error messages: `filter`, `select parameter`
 * @param shown - the text as error messages show it, where that is not the scanned text
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
      // PostgREST's parser quotes a character where the text could have ended differently from one where it could not.
      const quoted = expecting.endsWith('end of input') ? `'${next}'` : JSON.stringify(next)
      const unexpected = scanner.atEnd() ? 'end of input' : quoted
      return parseFailed(what, shown, scanner.position, `unexpected ${unexpected} expecting ${expecting}`)
    },
  }
  return scanner
}
