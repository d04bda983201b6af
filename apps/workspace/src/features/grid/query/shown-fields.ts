import type { Field } from '../../../lib/fields/field.ts'

/** `detail,+created_at`: fields taken out of the view, and with a plus those of the database that are put in. */
export function shownFields(fields: readonly Field[], text: string | undefined): readonly Field[] {
  const named = new Set((text ?? '').split(','))
  return fields.filter((field) => (isHiddenAtFirst(field) ? named.has(`+${field.name}`) : !named.has(field.name)))
}

/** The text for the address after a field was put in or taken out. A view keeps at least one field. */
export function toggleField(fields: readonly Field[], text: string | undefined, name: string): string | undefined {
  const shown = new Set(shownFields(fields, text).map((field) => field.name))
  if (shown.has(name)) shown.delete(name)
  else shown.add(name)
  if (shown.size === 0) return text
  const parts = fields.flatMap((field) => {
    const isShown = shown.has(field.name)
    if (isHiddenAtFirst(field)) return isShown ? [`+${field.name}`] : []
    return isShown ? [] : [field.name]
  })
  return parts.length === 0 ? undefined : parts.join(',')
}

/** Kept by the database, or nothing that a person could read. */
export function isHiddenAtFirst({ isSystem, kind }: Field): boolean {
  return isSystem || kind === 'binary' || kind === 'uuid'
}
