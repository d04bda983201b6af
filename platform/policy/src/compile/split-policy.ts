import type { Node } from 'libpg-query'

/**
 * Splits a condition at its `AND`s and `OR`s into all ways to satisfy it, each a list of conditions.
 *
 * @param max - beyond this the condition stays whole
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
