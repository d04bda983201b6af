import { useRecords } from '@holdfast/react'
import { useMemo } from 'react'
import type { FieldValue } from '../../lib/fields/field.ts'
import type { FieldChange } from '../../lib/records/history.ts'
import { quoteName } from '../../lib/sql.ts'

interface Labelled {
  readonly key: string
  readonly label: FieldValue
}

/** Returns the titles of records that links pointed to, by `field/id`. Records not on this device are absent. */
export function useLinkLabels(changes: readonly FieldChange[]): ReadonlyMap<string, FieldValue> {
  const ids = new Map<string, Set<string>>()
  for (const { field, from, to } of changes) {
    if (field.link?.titleColumn === undefined) continue
    const known = ids.get(field.name) ?? new Set()
    for (const value of [from, to]) if (value !== null) known.add(String(value))
    ids.set(field.name, known)
  }
  const fields = new Map(changes.map(({ field }) => [field.name, field]))
  const parts = [...ids].flatMap(([name, values]) => {
    const link = fields.get(name)?.link
    if (link?.titleColumn === undefined || values.size === 0) return []
    const sql = `select ? || '/' || id as key, ${quoteName(link.titleColumn)} as label
                   from ${quoteName(link.table)} where id in (select value from json_each(?))`
    return [{ sql, parameters: [name, JSON.stringify([...values])] }]
  })
  const { rows } = useRecords<Labelled>(
    parts.map(({ sql }) => sql).join(' union all '),
    parts.flatMap(({ parameters }) => parameters),
  )
  return useMemo(() => new Map(rows.map(({ key, label }) => [key, label])), [rows])
}
