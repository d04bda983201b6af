import { Link2, Plus } from 'lucide-react'
import { type JSX, useMemo, useState } from 'react'
import { useSchema } from '@holdfast/react'
import { Button } from '../../../components/button.tsx'
import { lateLayer } from '../../../components/late-content.tsx'
import { useRecordWriter } from '../../../components/records/use-record-writer.ts'
import { useOneAtATime } from '../../../hooks/use-one-at-a-time.ts'
import { fieldsOf } from '../../../lib/fields/field.ts'
import { useNewRecord } from '../../../lib/records/use-new-record.ts'
import { relationMessages as words } from '../../../messages/relations.ts'
import type { Relation } from './relation.ts'

const { Content: LinkExisting } = lateLayer(async () => (await import('./link-existing.tsx')).LinkExisting)

/** Adds a record that links to the shown one, or links an existing one. Shows nothing that the rules forbid. */
export function RelationActions({
  relation: { table, field },
  recordId,
  onOpen,
}: {
  readonly relation: Relation
  readonly recordId: string
  readonly onOpen: (table: string, id: string) => void
}): JSX.Element | null {
  const schema = useSchema()
  const fields = useMemo(() => fieldsOf(table.descriptor, schema), [table, schema])
  const writer = useRecordWriter()
  const alone = useOneAtATime<void>()
  const values = useMemo(() => ({ [field.name]: recordId }), [field, recordId])
  const add = useNewRecord(table, fields, writer, true, values)
  const [isLinking, setLinking] = useState(false)
  const mayLink = table.descriptor.can.update
  if (!add && !mayLink) return null
  return (
    <div className="flex flex-wrap gap-2 pb-1 print:hidden">
      {add ? (
        <Button
          size="sm"
          icon={<Plus size={16} aria-hidden />}
          aria-label={words.addTo(table.noun)}
          onPress={() =>
            void alone(async () => {
              const id = await add()
              if (id !== undefined) onOpen(table.name, id)
            })
          }
        >
          {words.add}
        </Button>
      ) : null}
      {mayLink ? (
        <Button
          size="sm"
          icon={<Link2 size={16} aria-hidden />}
          aria-label={words.linkTo(table.noun)}
          onPress={() => setLinking(true)}
        >
          {words.link}
        </Button>
      ) : null}
      {isLinking ? <LinkExisting {...{ table, field, recordId, writer }} onClose={() => setLinking(false)} /> : null}
    </div>
  )
}
