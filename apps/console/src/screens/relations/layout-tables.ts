/** A table as the layout needs it. */
export interface Node {
  readonly id: string
  readonly height: number
}

/** A reference from one table to another. */
export interface Edge {
  readonly from: string
  readonly to: string
}

export interface Position {
  readonly x: number
  readonly y: number
}

export interface Layout {
  readonly positions: ReadonlyMap<string, Position>
  readonly width: number
  readonly height: number
}

/** Sizes in pixels. */
export const NODE_WIDTH = 208
const GAP_X = 72
const GAP_Y = 20
const MARGIN = 16

/** Height in pixels above which tables of one layer continue in the next column. */
const COLUMN_HEIGHT_MAX = 1_200

/** Passes that move tables towards those they refer to. */
const PASSES = 4

/**
 * Places tables in columns from left to right: those that refer to none first, and each other one to the right of those it refers to. Tables without relations
 * come last. No two tables overlap.
 */
export function layoutTables(nodes: readonly Node[], edges: readonly Edge[]): Layout {
  const neighbours = neighboursOf(nodes, edges)
  const related = nodes.filter(({ id }) => neighbours.get(id)?.size)
  const layers = orderLayers(layersOf(related, edges), neighbours)
  const lonely = nodes.filter(({ id }) => !neighbours.get(id)?.size)
  const columns = [...layers, lonely].flatMap(splitColumn)
  const positions = new Map<string, Position>()
  let height = 0
  for (const [at, column] of columns.entries()) {
    let y = MARGIN
    for (const node of column) {
      positions.set(node.id, { x: MARGIN + at * (NODE_WIDTH + GAP_X), y })
      y += node.height + GAP_Y
    }
    height = Math.max(height, y - GAP_Y + MARGIN)
  }
  return { positions, width: 2 * MARGIN + columns.length * (NODE_WIDTH + GAP_X) - GAP_X, height }
}

type Neighbours = ReadonlyMap<string, ReadonlySet<string>>

/** Related tables of each table in both directions, without itself. */
function neighboursOf(nodes: readonly Node[], edges: readonly Edge[]): Neighbours {
  const found = new Map<string, Set<string>>(nodes.map(({ id }) => [id, new Set()]))
  for (const { from, to } of edges) {
    if (from === to || !found.has(from) || !found.has(to)) continue
    found.get(from)?.add(to)
    found.get(to)?.add(from)
  }
  return found
}

/** Groups tables by the longest path of references below them. A reference that closes a cycle does not count. */
function layersOf(nodes: readonly Node[], edges: readonly Edge[]): readonly (readonly Node[])[] {
  const targets = new Map<string, string[]>(nodes.map(({ id }) => [id, []]))
  for (const { from, to } of edges) if (targets.has(to)) targets.get(from)?.push(to)
  const depths = new Map<string, number>()
  const open = new Set<string>()
  const depthOf = (id: string): number => {
    const known = depths.get(id)
    if (known !== undefined) return known
    open.add(id)
    const below = (targets.get(id) ?? []).filter((target) => !open.has(target)).map((target) => depthOf(target) + 1)
    open.delete(id)
    const depth = Math.max(0, ...below)
    depths.set(id, depth)
    return depth
  }
  const layers: Node[][] = []
  for (const node of nodes) (layers[depthOf(node.id)] ??= []).push(node)
  return Array.from(layers, (layer) => layer ?? [])
}

/** Orders each layer by the mean place of related tables in the other layers, so that fewer lines cross. */
function orderLayers(layers: readonly (readonly Node[])[], neighbours: Neighbours): readonly (readonly Node[])[] {
  let ordered = layers
  const places = new Map<string, number>()
  const place = (layer: readonly Node[]): void =>
    layer.forEach(({ id }, at) => void places.set(id, (at + 0.5) / layer.length))
  ordered.forEach(place)
  const meanOf = ({ id }: Node): number => {
    const related = [...(neighbours.get(id) ?? [])].map((other) => places.get(other) ?? 0)
    return related.reduce((sum, one) => sum + one, 0) / Math.max(1, related.length)
  }
  for (let pass = 0; pass < PASSES; pass += 1) {
    ordered = ordered.map((layer) => {
      const means = new Map(layer.map((node) => [node.id, meanOf(node)]))
      const sorted = layer.toSorted((a, b) => (means.get(a.id) ?? 0) - (means.get(b.id) ?? 0))
      place(sorted)
      return sorted
    })
  }
  return ordered
}

/** Splits a layer that is too tall into columns. */
function splitColumn(layer: readonly Node[]): readonly (readonly Node[])[] {
  const columns: Node[][] = []
  let height = Number.POSITIVE_INFINITY
  for (const node of layer) {
    if (height + node.height > COLUMN_HEIGHT_MAX) {
      columns.push([])
      height = 0
    }
    columns.at(-1)?.push(node)
    height += node.height + GAP_Y
  }
  return columns
}
