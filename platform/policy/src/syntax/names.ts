/** The parts of a dotted name in a parse tree: a list of `String` nodes. */
export function nameParts(list: unknown): string[] {
  if (!Array.isArray(list)) return []
  return list.map((node: unknown) => (node as { String?: { sval?: string } }).String?.sval ?? '')
}
