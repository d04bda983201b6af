/** Lines of prose in Markdown are at most so many characters long. */
export const PROSE_CHARS_MAX = 120

/** A paragraph or an item of a list: lines that Markdown joins. */
interface Block {
  /** Index of the first line. */
  readonly start: number
  readonly lines: readonly string[]
}

/** Finds lines that are too long. Code, tables, headings, comments and lines without a place to break (a long link) are not prose. */
export function findLongLines(text: string): readonly { readonly line: number; readonly length: number }[] {
  return blocksOf(text).flatMap(({ start, lines }) =>
    lines.flatMap((line, index) =>
      line.length > PROSE_CHARS_MAX && wrap(line.trim(), indentOf(line)).length > 1
        ? [{ line: start + index + 1, length: line.length }]
        : [],
    ),
  )
}

/** Wraps the paragraphs that have a line that is too long, and leaves all others as they are. */
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

/** Two blanks or a backslash at the end of a line are a line break that stays. */
function endsWithBreak(lines: readonly string[]): boolean {
  return /(?: {2}|\\)$/.test(lines.at(-1) ?? '')
}

/** What stands before the first line and before those that continue it. */
function indentOf(line: string): { readonly first: string; readonly rest: string } {
  const indent = /^\s*(?:> ?)*/.exec(line)?.[0] ?? ''
  const item = ITEM.exec(line)
  return { first: indent, rest: item ? ' '.repeat(item[0].length) : indent }
}

/** Words, with a code span or the text of a link as one. */
function wordsOf(text: string): readonly string[] {
  return text.match(/(?:`[^`]*`|\[[^\]]{0,60}\]\([^)]*\)|[^\s`[]|[`[])+/g) ?? []
}

/** A line that begins like this would begin something else. */
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
