import type { Field } from '../../../lib/fields/field.ts'

/** Parses `detail,+created_at`: hidden fields, and, after a plus, system fields to show. */
export function shownFields(fields: readonly Field[], text: string | undefined): readonly Field[] {
  const named = new Set((text ?? '').split(','))
  return fields.filter((field) => (isHiddenAtFirst(field) ? named.has(`+${field.name}`) : !named.has(field.name)))
}

/** Returns the setting after a field is shown or hidden. A view keeps at least one field. */
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

/** Whether a field is hidden by default: set by the database, or not readable. */
export function isHiddenAtFirst({ isSystem, kind }: Field): boolean {
  return isSystem || kind === 'binary' || kind === 'uuid'
}
