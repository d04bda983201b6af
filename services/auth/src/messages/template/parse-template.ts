import { parseExpression, type Expression, TemplateError } from './parse-expression.ts'

/** A template as a tree. */
export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly expression: Expression; readonly place: OutputPlace }
  | { readonly kind: 'if'; readonly branches: readonly TemplateBranch[] }

export interface TemplateBranch {
  /** `undefined` for `else`. */
  readonly condition: Expression | undefined
  readonly nodes: readonly TemplateNode[]
}

/** The HTML context of a value: text or an attribute, or the query of a URL attribute. */
export type OutputPlace = 'html' | 'query'

/** An action between double braces, or the text between two actions. */
type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly source: string; readonly line: number }

const ACTION = /\{\{(- )?([\s\S]*?)( -)?\}\}/g

/** A URL attribute that is still open at the end of the text. */
const OPEN_ADDRESS = /<[a-z][^<>]*\s(?:href|src|action|formaction|background|cite|poster)\s*=\s*(?:"([^"]*)|'([^']*))$/i

/**
 * Parses the part of Go's template language that mails use: fields, `if`, `else if`, `else`, `end`, comments, trimmed white space, and the
 * functions `eq`, `ne`, `and`, `or`, `not`, `urlquery` and `html`.
 *
 * @throws {TemplateError} with the line of the error
 */
export function parseTemplate(source: string): readonly TemplateNode[] {
  const pieces = split(source)
  let index = 0
  let written = ''

  const { nodes, end } = parseBlock()
  if (end) throw new TemplateError(end.line, `unexpected {{ ${end.source} }}`)
  return nodes

  /** Parses until `else` or `end`, which it consumes and returns. */
  function parseBlock(): { nodes: TemplateNode[]; end: Extract<Piece, { kind: 'action' }> | undefined } {
    const block: TemplateNode[] = []
    for (let piece = pieces[index++]; piece; piece = pieces[index++]) {
      if (piece.kind === 'text') {
        written += piece.text
        block.push(piece)
        continue
      }
      const [word = ''] = /^\w+/.exec(piece.source) ?? []
      if (word === 'end' || word === 'else') return { nodes: block, end: piece }
      if (word === 'if') block.push(parseIf(piece.source.slice(2), piece.line))
      else if (['range', 'with', 'define', 'template', 'block', 'break', 'continue'].includes(word)) {
        throw new TemplateError(piece.line, `{{ ${word} }} is not supported`)
      } else {
        const expression = parseExpression(piece.source, piece.line)
        block.push({ kind: 'output', expression, place: placeAfter(written) })
      }
    }
    return { nodes: block, end: undefined }
  }

  function parseIf(condition: string, line: number): TemplateNode {
    const branches: TemplateBranch[] = []
    let current: Expression | undefined = parseExpression(condition, line)
    let isLast = false
    for (;;) {
      const block = parseBlock()
      branches.push({ condition: current, nodes: block.nodes })
      if (!block.end) throw new TemplateError(line, '{{ if }} without {{ end }}')
      const [, word, rest = ''] = /^(end|else)\s*([\s\S]*)$/.exec(block.end.source) ?? []
      if (word === 'end' && rest === '') return { kind: 'if', branches }
      const next = /^if\b([\s\S]*)$/.exec(rest)
      if (word !== 'else' || isLast || (rest !== '' && !next)) {
        throw new TemplateError(block.end.line, `unexpected {{ ${block.end.source} }}`)
      }
      isLast = !next
      current = next ? parseExpression(next[1] ?? '', block.end.line) : undefined
    }
  }
}

function placeAfter(written: string): OutputPlace {
  const open = OPEN_ADDRESS.exec(written)
  return /[?#]/.test(open?.[1] ?? open?.[2] ?? '') ? 'query' : 'html'
}

function split(source: string): readonly Piece[] {
  const pieces: Piece[] = []
  let end = 0
  let trims = false
  const pushText = (text: string, trimsEnd: boolean): void => {
    const start = trims ? text.trimStart() : text
    const trimmed = trimsEnd ? start.trimEnd() : start
    if (trimmed !== '') pieces.push({ kind: 'text', text: trimmed })
  }
  for (const match of source.matchAll(ACTION)) {
    const [whole, trimLeft, inner = '', trimRight] = match
    pushText(source.slice(end, match.index), trimLeft !== undefined)
    trims = trimRight !== undefined
    end = match.index + whole.length
    const line = lineAt(source, match.index)
    const action = inner.trim()
    if (/^\/\*[\s\S]*\*\/$/.test(action)) continue
    if (action === '') throw new TemplateError(line, 'there is nothing between {{ and }}')
    pieces.push({ kind: 'action', source: action, line })
  }
  const rest = source.slice(end)
  const open = rest.indexOf('{{')
  if (open >= 0) throw new TemplateError(lineAt(source, end + open), '{{ without }}')
  pushText(rest, false)
  return pieces
}

function lineAt(source: string, index: number): number {
  return source.slice(0, index).split('\n').length
}
