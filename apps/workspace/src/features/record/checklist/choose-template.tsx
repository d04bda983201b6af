import { useRecords } from '@holdfast/react'
import type { JSX } from 'react'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Page } from '../../../components/page.tsx'
import { useRecordWriter } from '../../../components/records/use-record-writer.ts'
import type { Checklist } from '../../../lib/checklists/checklist.ts'
import { shortId } from '../../../lib/data/use-record-title.ts'
import { quoteName } from '../../../lib/sql.ts'
import { builderMessages as words } from '../../../messages/checklist-builder.ts'

/** Asks which checklist a record without one gets. */
export function ChooseTemplate({
  checklist: { table, template, templates },
  recordId,
}: {
  readonly checklist: Checklist
  readonly recordId: string
}): JSX.Element | null {
  const writer = useRecordWriter()
  const title = templates.title === undefined ? 'id' : quoteName(templates.title)
  const where = templates.active === undefined ? '' : `where coalesce(${quoteName(templates.active)}, 1) <> 0`
  const { rows, isLoading } = useRecords<{ readonly id: string; readonly title: string | null }>(
    `select id, ${title} as title from ${quoteName(templates.table)} ${where} order by 2 collate nocase, id limit 100`,
  )
  if (isLoading) return null
  if (rows.length === 0) return <EmptyState title={words.noneToChoose}>{words.noneToChooseDetail}</EmptyState>
  return (
    <Page title={words.choose} description={words.chooseDetail} width="reading">
      <ul className="flex flex-col gap-2">
        {rows.map((row) => {
          const name = row.title ?? shortId(row.id)
          return (
            <li key={row.id}>
              <button
                type="button"
                className="focus-inset min-h-14 w-full rounded-lg border border-border bg-raised px-3 py-2 text-left text-body font-medium hover:bg-surface"
                onClick={() =>
                  void writer.writeOrTell({
                    label: words.saving(name),
                    changes: [
                      {
                        kind: 'update',
                        table,
                        id: recordId,
                        values: { [template]: row.id },
                        before: { [template]: null },
                      },
                    ],
                  })
                }
              >
                {name}
              </button>
            </li>
          )
        })}
      </ul>
    </Page>
  )
}
