/** Maximum length in characters of a line of Markdown prose. */
export const PROSE_CHARS_MAX = 120

/** A paragraph or list item: lines that Markdown joins. */
interface Block {
  /** Index of the first line. */
  readonly start: number
  readonly lines: readonly string[]
}

/** Finds lines that are too long. Ignores code, tables, headings, comments and lines that cannot be broken, such as a long link. */
export function findLongLines(text: string): readonly { readonly line: number; readonly length: number }[] {
  return blocksOf(text).flatMap(({ start, lines }) =>
    lines.flatMap((line, index) =>
      line.length > PROSE_CHARS_MAX && wrap(line.trim(), indentOf(line)).length > 1
        ? [{ line: start + index + 1, length: line.length }]
        : [],
    ),
  )
}

/** Wraps paragraphs that contain a line that is too long; leaves all others unchanged. */
export function wrapProse(text: string): string {
  const lines = text.split('\n')
  for (const { start, lines: block } of blocksOf(text).toReversed()) {
    if (!block.some((line) => line.length > PROSE_CHARS_MAX)) continue
    const [first = ''] = block
    const joined = block.map((line) => line.trim()).join(' ')
    lines.splice(start, block.length, ...wrap(joined, indentOf(first)))
  }
  return lines.join('\n')
}

const FENCE = /^\s*(`{3,}|~{3,})/
const ITEM = /^(\s*)(?:[-*+]|\d+[.)])\s+/
const NO_PROSE = /^\s*(?:\||#|<!--|<\/?[a-z]|\[[^\]]+\]:|-{3,}\s*$|={3,}\s*$)/

function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = []
  let fence: string | undefined
  let current: { start: number; lines: string[] } | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const marker = FENCE.exec(line)?.[1]
    if (marker !== undefined) {
      if (fence === undefined) fence = marker
      else if (marker.startsWith(fence)) fence = undefined
      current = undefined
    } else if (fence !== undefined || line.trim() === '' || NO_PROSE.test(line)) current = undefined
    else if (current === undefined || ITEM.test(line) || endsWithBreak(current.lines)) {
      current = { start: index, lines: [line] }
      blocks.push(current)
    } else current.lines.push(line)
  }
  return blocks
}

/** Returns whether the block ends with a hard line break: two spaces or a backslash. */
function endsWithBreak(lines: readonly string[]): boolean {
  return /(?: {2}|\\)$/.test(lines.at(-1) ?? '')
}

/** Returns the prefixes of the first and the following lines. */
function indentOf(line: string): { readonly first: string; readonly rest: string } {
  const indent = /^\s*(?:> ?)*/.exec(line)?.[0] ?? ''
  const item = ITEM.exec(line)
  return { first: indent, rest: item ? ' '.repeat(item[0].length) : indent }
}

/** Splits into words; a code span or link text counts as a single word. */
function wordsOf(text: string): readonly string[] {
  return text.match(/(?:`[^`]*`|\[[^\]]{0,60}\]\([^)]*\)|[^\s`[]|[`[])+/g) ?? []
}

/** A start of line that Markdown would parse as a new block. */
const BEGINS_BLOCK = /^(?:[-*+>#|]|\d+[.)]|={3,}|-{3,})(?:\s|$)/

function wrap(text: string, indent: { readonly first: string; readonly rest: string }): readonly string[] {
  const quote = indent.first.includes('>') ? text.replace(/^(?:> ?)+/, '').replaceAll(/ > /g, ' ') : text
  const lines: string[] = []
  let line = indent.first
  for (const word of wordsOf(quote)) {
    const isEmpty = line === indent.first || line === indent.rest
    if (!isEmpty && line.length + 1 + word.length > PROSE_CHARS_MAX && !BEGINS_BLOCK.test(`${word} `)) {
      lines.push(line)
      line = indent.rest + word
    } else line += isEmpty ? word : ` ${word}`
  }
  return [...lines, line]
}
