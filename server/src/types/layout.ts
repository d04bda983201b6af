/** A document laid out within a line width, breaking only groups that do not fit. @see Wadler, "A prettier printer" */
export type Layout =
  | string
  | readonly Layout[]
  | { readonly kind: 'line'; readonly flat: string; readonly isHard?: boolean }
  | { readonly kind: 'indent'; readonly content: Layout }
  | { readonly kind: 'group'; readonly content: Layout; readonly isBroken: boolean }
  | { readonly kind: 'if broken'; readonly broken: Layout; readonly flat: Layout }

/** A space, or a line break if the surrounding group is broken. */
export const line: Layout = { kind: 'line', flat: ' ' }
/** Nothing, or a line break if the surrounding group is broken. */
export const softLine: Layout = { kind: 'line', flat: '' }
/** Always a line break. */
export const hardLine: Layout = { kind: 'line', flat: '', isHard: true }

export const indent = (content: Layout): Layout => ({ kind: 'indent', content })
export const group = (content: Layout, isBroken = false): Layout => ({
  kind: 'group',
  content,
  isBroken: isBroken || hasHardLine(content),
})
export const ifBroken = (broken: Layout, flat: Layout = ''): Layout => ({ kind: 'if broken', broken, flat })
export const join = (separator: Layout, parts: readonly Layout[]): Layout =>
  parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]))

function hasHardLine(layout: Layout): boolean {
  if (typeof layout === 'string') return false
  if (isList(layout)) return layout.some(hasHardLine)
  switch (layout.kind) {
    case 'line':
      return layout.isHard === true
    case 'group':
      return layout.isBroken
    case 'indent':
      return hasHardLine(layout.content)
    case 'if broken':
      return hasHardLine(layout.broken)
  }
}

interface Piece {
  readonly layout: Layout
  readonly depth: number
  readonly isBroken: boolean
}

const INDENT = '  '

/** @param width - columns per line */
export function render(layout: Layout, width: number): string {
  const todo: Piece[] = [{ layout, depth: 0, isBroken: true }]
  let text = ''
  let column = 0
  for (let piece = todo.pop(); piece !== undefined; piece = todo.pop()) {
    const { layout: current, depth, isBroken } = piece
    if (typeof current === 'string') {
      text += current
      column += current.length
    } else if (isList(current)) {
      for (const part of current.toReversed()) todo.push({ layout: part, depth, isBroken })
    } else if (current.kind === 'line') {
      if (isBroken || current.isHard === true) {
        text = `${text.trimEnd()}\n${INDENT.repeat(depth)}`
        column = INDENT.length * depth
      } else {
        text += current.flat
        column += current.flat.length
      }
    } else if (current.kind === 'indent') todo.push({ layout: current.content, depth: depth + 1, isBroken })
    else if (current.kind === 'if broken')
      todo.push({ layout: isBroken ? current.broken : current.flat, depth, isBroken })
    else {
      const flat = { layout: current.content, depth, isBroken: false }
      todo.push(!current.isBroken && fits(flat, todo, width - column) ? flat : { ...flat, isBroken: true })
    }
  }
  return text
}

/** Returns whether a piece fits, including what follows up to the next line break. */
function fits(piece: Piece, following: readonly Piece[], room: number): boolean {
  const todo: Piece[] = [piece]
  let next = following.length
  let left = room
  while (left >= 0) {
    const current = todo.pop() ?? following[--next]
    if (current === undefined) return true
    const { layout, depth, isBroken } = current
    if (typeof layout === 'string') left -= layout.length
    else if (isList(layout)) for (const part of layout.toReversed()) todo.push({ layout: part, depth, isBroken })
    else if (layout.kind === 'line') {
      if (isBroken || layout.isHard === true) return true
      left -= layout.flat.length
    } else if (layout.kind === 'indent') todo.push({ layout: layout.content, depth, isBroken })
    else if (layout.kind === 'if broken') todo.push({ layout: isBroken ? layout.broken : layout.flat, depth, isBroken })
    else todo.push({ layout: layout.content, depth, isBroken: isBroken && layout.isBroken })
  }
  return false
}

function isList(layout: Layout): layout is readonly Layout[] {
  return Array.isArray(layout)
}
