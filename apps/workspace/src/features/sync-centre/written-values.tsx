import type { UploadOperation } from '@holdfast/protocol'
import { useWordedSchema } from '../../lib/data/use-tables.tsx'
import type { JSX } from 'react'
import { labelOf } from '../../lib/data/column-words.ts'
import { humanize } from '../../lib/format.ts'
import { syncMessages as words } from '../../messages/sync.ts'
import { ShownValue } from './shown-value.tsx'

/** Limit of values shown per change; a created record may have many. */
const VALUES_MAX = 6

/** The values that a change writes. */
export function WrittenValues({ operation }: { readonly operation: UploadOperation }): JSX.Element | null {
  const schema = useWordedSchema()
  const columns = schema.tables.find(({ name }) => name === operation.type)?.columns ?? []
  const values = Object.entries(operation.data ?? {})
  if (values.length === 0) return null
  return (
    <dl className="flex flex-wrap gap-x-4 gap-y-0.5 text-small">
      {values.slice(0, VALUES_MAX).map(([name, value]) => {
        const column = columns.find((candidate) => candidate.name === name)
        return (
          <div key={name} className="flex min-w-0 gap-1.5">
            <dt className="text-muted">{column ? labelOf(column) : humanize(name)}</dt>
            <dd className="min-w-0 [overflow-wrap:anywhere]">
              {column ? <ShownValue column={column} value={value} /> : String(value)}
            </dd>
          </div>
        )
      })}
      {values.length > VALUES_MAX ? (
        <div className="text-muted">{words.moreValues(values.length - VALUES_MAX)}</div>
      ) : null}
    </dl>
  )
}
