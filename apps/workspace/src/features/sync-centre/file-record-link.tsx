import type { FileEntry } from '@holdfast/client'
import { useRecord, useSchema } from '@holdfast/react'
import type { JSX } from 'react'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useTables } from '../../lib/data/use-tables.tsx'
import { type PhotoTable, photoTableOfFile } from '../../lib/data/photo-table.ts'
import { photoMessages as words } from '../../messages/photos.ts'
import { RecordLink } from './outbox-tab.tsx'

/** Links to a photo's record. Shows a placeholder text while the record is unknown. */
export function FileRecordLink({
  file,
  workspace,
}: {
  readonly file: FileEntry
  readonly workspace: string
}): JSX.Element {
  const table = photoTableOfFile(useSchema(), file)
  return table ? <Linked table={table} id={file.id} workspace={workspace} /> : <span>{words.unnamed}</span>
}

function Linked({
  table,
  id,
  workspace,
}: {
  readonly table: PhotoTable
  readonly id: string
  readonly workspace: string
}): JSX.Element {
  const tables = useTables()
  const { row } = useRecord<Readonly<Record<string, string | number | null>>>(table.name, id)
  for (const [target, column] of table.links) {
    const value = row?.[column]
    const info: TableInfo | undefined = tables.find(({ name }) => name === target)
    if (info && typeof value === 'string') {
      return <RecordLink workspace={workspace} table={info} recordId={value} given={undefined} />
    }
  }
  return <span className="font-medium">{words.unnamed}</span>
}
