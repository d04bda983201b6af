import type { Node } from 'libpg-query'
import { refuse } from '../refusal.ts'

/** The parts of a dotted name in a parse tree: a list of `String` nodes. */
export function nameParts(list: unknown): string[] {
  if (!Array.isArray(list)) return []
  return list.map((node: unknown) => (node as { String?: { sval?: string } }).String?.sval ?? '')
}

/** A part of a parse tree that the grammar says is there. */
export function need(node: Node | undefined): Node {
  return node ?? refuse('an incomplete parse tree')
}
