import { FORMULA_LENGTH_MAX, FormulaError } from './formula.ts'

/** A piece of a formula's text; `to` is the position after it. */
export interface Token {
  readonly kind: 'field' | 'text' | 'number' | 'word' | 'sign' | 'end'
  /** Name, content, digits, or the sign. */
  readonly value: string
  readonly from: number
  readonly to: number
}

const SPACE = /\s*/y
const NUMBER = /\d+(?:\.\d+)?/y
const WORD = /[\p{L}_][\p{L}\p{N}_]*/uy
const SIGN = /!=|<>|<=|>=|[-+*/&=<>(),]/y
const FIELD = /\{((?:[^{}]|\}\}|\{\{)*)\}/y
const TEXT = /"((?:[^"]|"")*)"/y

/** Splits a formula into tokens, the last of which is `end`. */
export function lex(source: string): readonly Token[] {
  if (source.length > FORMULA_LENGTH_MAX)
    throw new FormulaError({ code: 'too_long', most: FORMULA_LENGTH_MAX }, FORMULA_LENGTH_MAX, source.length)
  const tokens: Token[] = []
  let at = skipSpace(source, 0)
  while (at < source.length) {
    const token = readToken(source, at)
    tokens.push(token)
    at = skipSpace(source, token.to)
  }
  return [...tokens, { kind: 'end', value: '', from: source.length, to: source.length }]
}

function skipSpace(source: string, at: number): number {
  return at + (matchAt(SPACE, source, at)?.[0].length ?? 0)
}

function readToken(source: string, from: number): Token {
  const token = (kind: Token['kind'], match: RegExpExecArray, value = match[0]): Token => ({
    kind,
    value,
    from,
    to: from + match[0].length,
  })
  const first = source.charAt(from)
  if (first === '{') {
    const match = matchAt(FIELD, source, from)
    if (!match) throw new FormulaError({ code: 'open_field' }, from, source.length)
    return token('field', match, (match[1] ?? '').replaceAll('}}', '}').replaceAll('{{', '{').trim())
  }
  if (first === '"') {
    const match = matchAt(TEXT, source, from)
    if (!match) throw new FormulaError({ code: 'open_text' }, from, source.length)
    return token('text', match, readText(match[1] ?? '', from))
  }
  const number = matchAt(NUMBER, source, from)
  if (number) return token('number', number)
  const word = matchAt(WORD, source, from)
  if (word) return token('word', word, word[0].toLowerCase())
  const sign = matchAt(SIGN, source, from)
  if (sign) return token('sign', sign, sign[0] === '<>' ? '!=' : sign[0])
  const found = String.fromCodePoint(source.codePointAt(from) ?? 0)
  throw new FormulaError({ code: 'character', found }, from, from + found.length)
}

/** Refuses what Postgres cannot store: U+0000 and half surrogate pairs. */
function readText(content: string, from: number): string {
  const text = content.replaceAll('""', '"')
  if (text.includes('\0')) throw new FormulaError({ code: 'character', found: 'U+0000' }, from, from + text.length)
  return text.toWellFormed()
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(source)
}
