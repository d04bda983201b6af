import type { TypeStructure } from '@holdfast/postgres'

/** Structure of a type's values with domains resolved, for parsing and writing its text form. */
export type TypeShape =
  | { readonly kind: 'scalar'; readonly oid: number }
  | { readonly kind: 'array'; readonly element: TypeShape; readonly delimiter: string }
  | { readonly kind: 'composite'; readonly members: readonly { readonly name: string; readonly shape: TypeShape }[] }
  | { readonly kind: 'range' | 'multirange'; readonly bound: TypeShape }

/** Maximum nesting of types. */
const DEPTH_MAX = 32

/** Derives a type's structure. @param type - looks up a type */
export function shapeOfType(oid: number, type: (oid: number) => TypeStructure | undefined, depth = 0): TypeShape {
  const info = type(oid)
  if (!info || depth > DEPTH_MAX) return { kind: 'scalar', oid }
  if (info.base !== 0) return shapeOfType(info.base, type, depth + 1)
  if (info.element !== 0) {
    const element = shapeOfType(info.element, type, depth + 1)
    return { kind: 'array', element, delimiter: type(info.element)?.delimiter ?? ',' }
  }
  if (info.members.length > 0) {
    const members = info.members.map(({ name, typeOid }) => ({ name, shape: shapeOfType(typeOid, type, depth + 1) }))
    return { kind: 'composite', members }
  }
  if (info.subtype !== 0) {
    return { kind: info.kind === 'm' ? 'multirange' : 'range', bound: shapeOfType(info.subtype, type, depth + 1) }
  }
  return { kind: 'scalar', oid }
}
