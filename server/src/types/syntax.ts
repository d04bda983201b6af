import { group, ifBroken, indent, join, line, softLine, type Layout } from './layout.ts'

/** A TypeScript type. */
export type TsType =
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'union'; readonly types: readonly TsType[] }
  | { readonly kind: 'array'; readonly of: TsType }
  | { readonly kind: 'tuple'; readonly types: readonly TsType[] }
  | { readonly kind: 'and'; readonly types: readonly TsType[] }
  | { readonly kind: 'object'; readonly properties: readonly Property[]; readonly isOpen: boolean }

export interface Property {
  readonly name: string
  readonly isOptional?: boolean
  readonly type: TsType
}

export const name = (text: string): TsType => ({ kind: 'name', text })
export const literal = (text: string): TsType => name(JSON.stringify(text))
export const arrayOf = (of: TsType): TsType => ({ kind: 'array', of })
export const tuple = (types: readonly TsType[]): TsType => ({ kind: 'tuple', types })
/** Renders an object type with one property per line. */
export const object = (properties: readonly Property[]): TsType => ({ kind: 'object', properties, isOpen: true })
/** Renders an object type on one line if it fits. */
export const inlineObject = (properties: readonly Property[]): TsType => ({ kind: 'object', properties, isOpen: false })

/** Creates a union; flattens nested unions and unwraps a single type. */
export function union(...types: readonly TsType[]): TsType {
  const flat = types.flatMap((type) => (type.kind === 'union' ? type.types : [type]))
  return flat.length === 1 && flat[0] ? flat[0] : { kind: 'union', types: flat }
}

export const orNull = (type: TsType): TsType => union(type, name('null'))

/** Lays out a type like Prettier. */
export function layOutType(type: TsType, isIndented = true): Layout {
  switch (type.kind) {
    case 'name':
      return type.text
    case 'array':
      return type.of.kind === 'union'
        ? ['(', group([indent(unionParts(type.of.types, true)), softLine]), ')[]']
        : [layOutType(type.of), '[]']
    case 'tuple':
      return layOutList(type.types.map((part) => layOutType(part, false)))
    case 'and':
      return group(
        join(
          ' & ',
          type.types.map((part) => layOutType(part)),
        ),
      )
    case 'object':
      return layOutObject(type)
    case 'union':
      return layOutUnion(type.types, isIndented)
  }
}

/** Lays out `["a", "b"]` from laid-out elements. */
export function layOutList(elements: readonly Layout[]): Layout {
  if (elements.length === 0) return '[]'
  return group(['[', indent([softLine, join([',', line], elements)]), ifBroken(','), softLine, ']'])
}

function layOutObject({ properties, isOpen }: Extract<TsType, { kind: 'object' }>): Layout {
  if (properties.length === 0) return '{}'
  const parts = properties.map((one) => [layOutKey(one.name), one.isOptional ? '?: ' : ': ', layOutType(one.type)])
  return group(['{', indent([line, join([ifBroken('', ';'), line], parts)]), line, '}'], isOpen)
}

/** The key of an object without keys. */
export const NO_KEY = '[_ in never]'

/** Lays out a key, quoted unless it is an ASCII identifier. */
export function layOutKey(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) || key === NO_KEY ? key : JSON.stringify(key)
}

function layOutUnion(types: readonly TsType[], isIndented: boolean): Layout {
  const objects = types.filter(({ kind }) => kind === 'object')
  // One object or null: the braces stay where they are.
  if (
    objects.length === 1 &&
    types.every((one) => one.kind === 'object' || (one.kind === 'name' && one.text === 'null'))
  )
    return join(
      ' | ',
      types.map((one) => layOutType(one)),
    )
  const parts = unionParts(types, isIndented)
  return group(isIndented ? indent(parts) : parts)
}

function unionParts(types: readonly TsType[], startsLine: boolean): Layout {
  return [
    ifBroken([startsLine ? line : '', '| ']),
    join(
      [line, '| '],
      types.map((one) => indent(layOutType(one))),
    ),
  ]
}
