import type { Field } from '../fields/field.ts'

/** A column of a record file. Links have two: title and id. Without ids they have the title. */
export interface FileColumn {
  /** Unique header in the file's first line. */
  readonly header: string
  readonly field: Field
  readonly part: 'value' | 'title'
}

/**
 * Returns a table's file columns in field order. A field's header is independent of the exported selection.
 *
 * @param hasIds - with the ids of linked records, by which an import finds them again
 */
export function fileColumnsOf(
  all: readonly Field[],
  chosen: readonly Field[] = all,
  hasIds = true,
): readonly FileColumn[] {
  const taken = new Set<string>()
  const headerOf = (wanted: string, field: Field): string => {
    let header = wanted
    for (let copy = 1; taken.has(header.toLowerCase()); copy += 1) {
      header = `${wanted} (${field.name}${copy === 1 ? '' : ` ${copy}`})`
    }
    taken.add(header.toLowerCase())
    return header
  }
  const columns = new Map<Field, readonly FileColumn[]>()
  for (const field of all) {
    if (field.kind === 'binary') continue
    const { label } = field
    columns.set(
      field,
      field.link?.titleColumn === undefined
        ? [{ header: headerOf(label, field), field, part: 'value' }]
        : [
            { header: headerOf(label, field), field, part: 'title' },
            { header: headerOf(`${label} ID`, field), field, part: 'value' },
          ],
    )
  }
  return chosen.flatMap((field) => {
    const own = columns.get(field) ?? []
    return hasIds || own.length < 2 ? own : own.slice(0, 1)
  })
}
