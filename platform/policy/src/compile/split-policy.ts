import type { Node } from 'libpg-query'

/**
 * Takes a condition apart at its `AND`s and `OR`s: every way in which it can be met, each a list of conditions.
 *
 * @param max - with more ways than that, the condition stays in one piece
 */
export function splitPolicy(node: Node, max: number): readonly (readonly Node[])[] {
  return split(node, max) ?? [[node]]
}

function split(node: Node, max: number): readonly (readonly Node[])[] | undefined {
  if (!('BoolExpr' in node) || node.BoolExpr.boolop === 'NOT_EXPR') return [[node]]
  let ways: readonly (readonly Node[])[] = node.BoolExpr.boolop === 'OR_EXPR' ? [] : [[]]
  for (const arg of node.BoolExpr.args ?? []) {
    const part = split(arg, max)
    if (!part) return undefined
    ways =
      node.BoolExpr.boolop === 'OR_EXPR'
        ? [...ways, ...part]
        : ways.flatMap((left) => part.map((right) => [...left, ...right]))
    if (ways.length > max) return undefined
  }
  return ways
}
