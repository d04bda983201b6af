import type { Node } from 'libpg-query'

/** A statement about an event trigger, which requires superuser. */
export type EventTriggerStatement =
  | {
      readonly kind: 'create'
      readonly name: string
      readonly event: string
      /** Commands that fire it; `undefined` for all. */
      readonly tags: readonly string[] | undefined
      /** Function name, with schema if given. */
      readonly calls: readonly string[]
    }
  | { readonly kind: 'drop'; readonly name: string; readonly isOptional: boolean }
  | {
      readonly kind: 'alter'
      readonly name: string
      readonly change: 'enable' | 'disable' | 'enable replica' | 'enable always'
    }

const CHANGES = { O: 'enable', D: 'disable', R: 'enable replica', A: 'enable always' } as const

export function readEventTrigger(node: Node): EventTriggerStatement | undefined {
  if ('CreateEventTrigStmt' in node) {
    const { trigname: name = '', eventname: event = '', whenclause = [], funcname = [] } = node.CreateEventTrigStmt
    const lists = whenclause.flatMap((one) => ('DefElem' in one && one.DefElem.arg ? [one.DefElem.arg] : []))
    const tags = lists.flatMap((list) => ('List' in list ? textsOf(list.List.items ?? []) : []))
    return { kind: 'create', name, event, tags: tags.length > 0 ? tags : undefined, calls: textsOf(funcname) }
  }
  if ('AlterEventTrigStmt' in node) {
    const { trigname: name = '', tgenabled } = node.AlterEventTrigStmt
    const change = CHANGES[tgenabled as keyof typeof CHANGES]
    return { kind: 'alter', name, change }
  }
  if ('DropStmt' in node && node.DropStmt.removeType === 'OBJECT_EVENT_TRIGGER') {
    const [name = ''] = textsOf(node.DropStmt.objects ?? [])
    return { kind: 'drop', name, isOptional: node.DropStmt.missing_ok === true }
  }
  return undefined
}

function textsOf(nodes: readonly Node[]): readonly string[] {
  return nodes.flatMap((one) => ('String' in one && one.String.sval !== undefined ? [one.String.sval] : []))
}
