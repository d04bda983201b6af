import { HoldfastError } from '@holdfast/foundation'

/** A part of a file as `psql` reads it. */
export interface PsqlPiece {
  /** Original text; all pieces together are the file. */
  readonly text: string
  /** SQL to run: for `COPY … FROM stdin` only the statement, otherwise the text with psql commands blanked out. */
  readonly sql: string
  /** First line, starting at 1. */
  readonly line: number
  /** Rows of a `COPY … FROM stdin`. */
  readonly rows?: string
}

/** Characters that may change how text is parsed. */
const MARK = /['"$;\\]|--|\/\*/g
const TAG = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y
const IN_WORD = /[\w$\u0080-\uffff]/
const COPY = /^(?:\s|--[^\n]*\n|\/\*(?:(?!\*\/)[\s\S])*\*\/)*copy\b[\s\S]*\bfrom\s+stdin\b/i
const END_OF_ROWS = /^\\\.\r?$/m
/** `pg_dump` writes these around a dump to prevent its contents from being run as psql commands. */
const IGNORED = /^\\(?:un)?restrict\b[^\n]*/

/**
 * Splits a file like `psql`: rows follow `COPY … FROM stdin` until a line `\.` or the end of the file, and backslash commands extend to the end of the line.
 *
 * @throws {HoldfastError} `project_sql_failed` with the line of an unsupported command
 */
export function readPsqlPieces(text: string, path: string): readonly PsqlPiece[] {
  const pieces: PsqlPiece[] = []
  // End of the last piece, start of the statement, and commands since.
  let [from, begun] = [0, 0]
  let commands: (readonly [start: number, end: number])[] = []
  const lineOf = lineCounter(text)
  const withoutCommands = (start: number, end: number): string =>
    commands
      .filter(([at]) => at >= start)
      .reduce(
        (read, [at, to]) => read.slice(0, at - start) + ' '.repeat(to - at) + read.slice(to - start),
        text.slice(start, end),
      )
  const add = (to: number, copied?: Pick<PsqlPiece, 'sql' | 'rows'>): void => {
    if (to > from) {
      const read = copied ?? { sql: withoutCommands(from, to) }
      pieces.push({ text: text.slice(from, to), line: lineOf(from), ...read })
    }
    ;[from, begun] = [to, to]
    commands = commands.filter(([at]) => at >= to)
  }
  for (let at = nextMark(text, 0); at < text.length;) {
    if (text[at] === '\\') {
      const [command] = IGNORED.exec(text.slice(at, at + 1_000)) ?? []
      if (command === undefined) throw commandFound(path, lineOf(at), text.slice(at))
      commands.push([at, at + command.length])
      at = nextMark(text, at + command.length)
    } else if (text[at] === ';') {
      const statement = withoutCommands(begun, at)
      begun = at + 1
      if (COPY.test(statement)) {
        const start = at - statement.length
        add(start)
        const end = endOfRows(text, at, path, lineOf)
        add(end.piece, { sql: statement, rows: text.slice(end.rows, end.marker) })
        at = nextMark(text, end.piece)
      } else at = nextMark(text, at + 1)
    } else at = nextMark(text, endOfQuote(text, at))
  }
  add(text.length)
  return pieces
}

function nextMark(text: string, from: number): number {
  MARK.lastIndex = from
  return MARK.exec(text)?.index ?? text.length
}

/** Returns the end of the quoted text or comment starting here; otherwise the next position. */
function endOfQuote(text: string, at: number): number {
  const after = (end: string, from: number): number => {
    const found = text.indexOf(end, from)
    return found < 0 ? text.length : found + end.length
  }
  const before = text[at - 1] ?? ''
  switch (text[at]) {
    case '-':
      return after('\n', at)
    case '/':
      return endOfComment(text, at)
    case '$': {
      TAG.lastIndex = at
      const [tag] = IN_WORD.test(before) ? [] : (TAG.exec(text) ?? [])
      return tag === undefined ? at + 1 : after(tag, at + tag.length)
    }
    case "'":
      return /e/i.test(before) && !IN_WORD.test(text[at - 2] ?? '') ? endOfEscaped(text, at) : after("'", at + 1)
    default:
      return after('"', at + 1)
  }
}

/** Comments can be nested. */
function endOfComment(text: string, at: number): number {
  const sign = /\/\*|\*\//g
  sign.lastIndex = at
  let depth = 0
  for (let found = sign.exec(text); found; found = sign.exec(text)) {
    depth += found[0] === '/*' ? 1 : -1
    if (depth === 0) return sign.lastIndex
  }
  return text.length
}

/** Finds the end of `E'…'`, in which a backslash escapes the next character. */
function endOfEscaped(text: string, at: number): number {
  for (let place = at + 1; place < text.length; place++) {
    if (text[place] === '\\') place++
    else if (text[place] === "'") return place + 1
  }
  return text.length
}

interface EndOfRows {
  /** Start of the rows. */
  readonly rows: number
  /** Start of the line with `\.`. */
  readonly marker: number
  /** Start of the following line. */
  readonly piece: number
}

function endOfRows(text: string, at: number, path: string, lineOf: (place: number) => number): EndOfRows {
  const newline = text.indexOf('\n', at)
  const rest = text.slice(at + 1, newline < 0 ? text.length : newline)
  if (rest.trim() !== '') {
    throw new HoldfastError('project_sql_failed', 500, `${path}, line ${lineOf(at)}: more follows COPY in its line.`, {
      hint: 'The rows of COPY … FROM stdin begin in the next line: put what follows behind them.',
    })
  }
  const rows = newline < 0 ? text.length : newline + 1
  const found = END_OF_ROWS.exec(text.slice(rows))
  const marker = found ? rows + found.index : text.length
  const next = text.indexOf('\n', marker)
  return { rows, marker, piece: next < 0 ? text.length : next + 1 }
}

/** Counts lines from the previous position, because a dump has millions. */
function lineCounter(text: string): (place: number) => number {
  let [counted, line] = [0, 1]
  return (place) => {
    if (place < counted) [counted, line] = [0, 1]
    for (let at = text.indexOf('\n', counted); at >= 0 && at < place; at = text.indexOf('\n', at + 1)) line++
    counted = place
    return line
  }
}

function commandFound(path: string, line: number, rest: string): HoldfastError {
  const name = /^\\\S{0,40}/.exec(rest)?.[0] ?? '\\'
  return new HoldfastError(
    'project_sql_failed',
    500,
    `${path}, line ${line}: ${name} is a command of psql, which is not read here.`,
    { hint: 'Nothing of this file was applied. Take the line out, or run the file with psql.' },
  )
}
