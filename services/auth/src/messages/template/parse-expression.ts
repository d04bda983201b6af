/** A problem of a template, and its position. */
export class TemplateError extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

/** A template expression. */
export type Expression =
  | { readonly kind: 'field'; readonly path: readonly string[] }
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'call'; readonly name: FunctionName; readonly arguments: readonly Expression[] }

export type FunctionName = 'eq' | 'ne' | 'and' | 'or' | 'not' | 'urlquery' | 'html'

/** Minimum and maximum number of arguments per function. */
const FUNCTIONS: Readonly<Record<FunctionName, readonly [number, number]>> = {
  eq: [2, 16],
  ne: [2, 2],
  and: [1, 16],
  or: [1, 16],
  not: [1, 1],
  urlquery: [1, 1],
  html: [1, 1],
}

const TOKEN =
  /\s*(?:(\.[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*|\.(?![\w.]))|("(?:[^"\\\n]|\\.)*"|`[^`]*`)|(-?\d+(?:\.\d+)?)|([A-Za-z_]\w*)|([()|]))/y

type Token =
  | { readonly kind: 'field'; readonly path: readonly string[] }
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'function'; readonly name: FunctionName }
  | { readonly kind: '(' | ')' | '|' }

/**
 * Parses the text between double braces, or after `if`.
 *
 * @throws {TemplateError}
 */
export function parseExpression(source: string, line: number): Expression {
  const tokens = tokenize(source, line)
  let index = 0
  const expression = parsePipeline()
  if (index < tokens.length) throw unreadable()
  return expression

  function parsePipeline(): Expression {
    let value = parseCommand()
    while (tokens[index]?.kind === '|') {
      index += 1
      value = parseCommand(value)
    }
    return value
  }

  /** @param piped - the value before the pipe, passed as the last argument of the next function */
  function parseCommand(piped?: Expression): Expression {
    const token = tokens[index]
    if (token?.kind !== 'function') {
      if (piped) throw new TemplateError(line, 'only a function can stand after |')
      return parseOperand()
    }
    index += 1
    const operands: Expression[] = []
    while (isOperand(tokens[index])) operands.push(parseOperand())
    if (piped) operands.push(piped)
    const [least, most] = FUNCTIONS[token.name]
    if (operands.length < least || operands.length > most) {
      throw new TemplateError(line, `wrong number of arguments for ${token.name}`)
    }
    return { kind: 'call', name: token.name, arguments: operands }
  }

  function parseOperand(): Expression {
    const token = tokens[index]
    index += 1
    if (token?.kind === 'field' || token?.kind === 'literal') return token
    if (token?.kind !== '(') throw unreadable()
    const inner = parsePipeline()
    if (tokens[index]?.kind !== ')') throw new TemplateError(line, '( without )')
    index += 1
    return inner
  }

  function unreadable(): TemplateError {
    return new TemplateError(line, `cannot read {{ ${source.trim()} }}`)
  }
}

function isOperand(token: Token | undefined): boolean {
  return token?.kind === 'field' || token?.kind === 'literal' || token?.kind === '('
}

function tokenize(source: string, line: number): readonly Token[] {
  const tokens: Token[] = []
  const text = source.trimEnd()
  TOKEN.lastIndex = 0
  for (let end = 0; end < text.length; end = TOKEN.lastIndex) {
    const match = TOKEN.exec(text)
    if (!match) throw new TemplateError(line, `cannot read {{ ${source.trim()} }}`)
    const [, field, quoted, number, word, mark] = match
    if (field !== undefined) {
      tokens.push({ kind: 'field', path: field.split('.').filter((name) => name !== '') })
    } else if (quoted !== undefined) tokens.push({ kind: 'literal', value: unquote(quoted, line) })
    else if (number !== undefined) tokens.push({ kind: 'literal', value: Number(number) })
    else if (word !== undefined) tokens.push(readWord(word, line))
    else tokens.push({ kind: mark as '(' | ')' | '|' })
  }
  return tokens
}

function readWord(word: string, line: number): Token {
  if (word === 'true' || word === 'false') return { kind: 'literal', value: word === 'true' }
  if (word === 'nil') return { kind: 'literal', value: null }
  if (Object.hasOwn(FUNCTIONS, word)) return { kind: 'function', name: word as FunctionName }
  throw new TemplateError(line, `function ${word} is not defined`)
}

function unquote(quoted: string, line: number): string {
  if (quoted.startsWith('`')) return quoted.slice(1, -1)
  try {
    return JSON.parse(quoted) as string
  } catch {
    throw new TemplateError(line, `cannot read the text ${quoted}`)
  }
}
