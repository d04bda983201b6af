import type { Node } from 'libpg-query'
import { refuse } from '../refusal.ts'

/** Returns the parts of a dotted name: a list of `String` nodes. */
export function nameParts(list: unknown): string[] {
  if (!Array.isArray(list)) return []
  return list.map((node: unknown) => (node as { String?: { sval?: string } }).String?.sval ?? '')
}

/** Asserts that a node required by the grammar exists. */
export function need(node: Node | undefined): Node {
  return node ?? refuse('an incomplete parse tree')
}
