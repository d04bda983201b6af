/** Result of merging two versions of a text by lines. */
export interface MergedLines {
  /** The merged text. Where both versions have different lines in one place, theirs precede mine. */
  readonly text: string
  /** Number of places that a user must resolve, because both versions changed the same lines. */
  readonly conflicts: number
}

/** Maximum lines of a text to merge. */
const LINES_MAX = 20_000
/** Maximum lines by which a version may differ from its base; the comparison is quadratic in this. */
const EDITS_MAX = 1_000

/** Replaces lines `from` to `to` of the base with `lines`. */
interface Change {
  readonly from: number
  readonly to: number
  readonly lines: readonly string[]
}

/**
 * Merges two versions of a text, given their common base, line by line. A line changed, added or removed by only one of them is taken from that version.
 * Lines added by both at the same place are all kept, theirs first, unless the base was empty: then the versions are alternatives. Line ends are normalized
 * to `\n`.
 * The comparison is that of E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), the merge that of diff3 (S. Khanna, K. Kunal, B. Pierce, "A
 * Formal Investigation of Diff3", 2007), where adjacent changes count as one place.
 *
 * @returns `undefined` for texts that are too long or too different to be compared
 */
export function mergeLines(base: string, mine: string, theirs: string): MergedLines | undefined {
  const [old, own, other] = [linesOf(base), linesOf(mine), linesOf(theirs)]
  if (Math.max(old.length, own.length, other.length) > LINES_MAX) return undefined
  const changes = changesOf(old, own)
  const others = changesOf(old, other)
  if (!changes || !others) return undefined
  const isEmpty = base === ''
  const merged: string[] = []
  let conflicts = 0
  let at = 0
  let [next, nextOther] = [0, 0]
  while (next < changes.length || nextOther < others.length) {
    const from = Math.min(changes[next]?.from ?? Infinity, others[nextOther]?.from ?? Infinity)
    merged.push(...old.slice(at, from))
    const [first, firstOther] = [next, nextOther]
    at = from
    for (;;) {
      const change = changes[next]
      const otherChange = others[nextOther]
      if (change && change.from <= at) {
        at = Math.max(at, change.to)
        next += 1
      } else if (otherChange && otherChange.from <= at) {
        at = Math.max(at, otherChange.to)
        nextOther += 1
      } else break
    }
    const here = versionOf(old, from, at, changes.slice(first, next))
    const there = versionOf(old, from, at, others.slice(firstOther, nextOther))
    if (first === next) merged.push(...there)
    else if (firstOther === nextOther || isSame(here, there)) merged.push(...here)
    else {
      if (at > from || isEmpty) conflicts += 1
      merged.push(...there, ...here)
    }
  }
  merged.push(...old.slice(at))
  return { text: merged.join('\n'), conflicts }
}

/** Splits into lines. An empty text has none, so a first line counts as an addition. */
function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replaceAll(/\r\n?/g, '\n').split('\n')
}

function versionOf(old: readonly string[], from: number, to: number, changes: readonly Change[]): readonly string[] {
  const lines: string[] = []
  let at = from
  for (const change of changes) {
    lines.push(...old.slice(at, change.from), ...change.lines)
    at = change.to
  }
  return [...lines, ...old.slice(at, to)]
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index])
}

/** Returns the minimal ordered edits from `old` to `lines`, merging adjacent ones. */
function changesOf(old: readonly string[], lines: readonly string[]): readonly Change[] | undefined {
  let start = 0
  while (start < old.length && start < lines.length && old[start] === lines[start]) start += 1
  let end = 0
  const shorter = Math.min(old.length, lines.length) - start
  while (end < shorter && old[old.length - 1 - end] === lines[lines.length - 1 - end]) end += 1
  const [from, to] = [old.slice(start, old.length - end), lines.slice(start, lines.length - end)]
  const kept = keptPairs(from, to)
  if (!kept) return undefined
  const changes: Change[] = []
  let [x, y] = [0, 0]
  for (const [nextX, nextY] of [...kept, [from.length, to.length] as const]) {
    if (nextX > x || nextY > y) changes.push({ from: start + x, to: start + nextX, lines: to.slice(y, nextY) })
    x = nextX + 1
    y = nextY + 1
  }
  return changes
}

/** Returns the positions of unchanged lines in order: a longest common subsequence. */
function keptPairs(a: readonly string[], b: readonly string[]): readonly (readonly [number, number])[] | undefined {
  const most = Math.min(a.length + b.length, EDITS_MAX)
  /** The furthest position in `a` per diagonal after each number of edits; diagonal `k` is at `k + edits`. */
  const trace: Int32Array[] = []
  for (let edits = 0; edits <= most; edits += 1) {
    const before = trace[edits - 1]
    const reach = new Int32Array(2 * edits + 1)
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = before ? stepFrom(before, edits, diagonal).x : 0
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x += 1
      reach[diagonal + edits] = x
      if (x >= a.length && x - diagonal >= b.length) return walkBack([...trace, reach], a.length, b.length)
    }
    trace.push(reach)
  }
  return undefined
}

/** Chooses the furthest-reaching edit onto a diagonal: an added line (from above) or a removed one (from the left). */
function stepFrom(before: Int32Array, edits: number, diagonal: number): { readonly x: number; readonly from: number } {
  const at = (k: number): number => (Math.abs(k) > edits - 1 ? -1 : (before[k + edits - 1] ?? -1))
  const added = at(diagonal + 1)
  const taken = at(diagonal - 1)
  return taken >= added ? { x: taken + 1, from: diagonal - 1 } : { x: added, from: diagonal + 1 }
}

function walkBack(
  trace: readonly Int32Array[],
  aLength: number,
  bLength: number,
): readonly (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = []
  let x = aLength
  let diagonal = aLength - bLength
  for (let edits = trace.length - 1; edits >= 0; edits -= 1) {
    const before = trace[edits - 1]
    const step = before ? stepFrom(before, edits, diagonal) : { x: 0, from: diagonal }
    while (x > step.x) {
      x -= 1
      pairs.push([x, x - diagonal])
    }
    x = before ? (before[step.from + edits - 1] ?? 0) : 0
    diagonal = step.from
  }
  return pairs.toReversed()
}
