import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Copy, Download, ScanEye } from 'lucide-react'
import { type JSX, useState } from 'react'
import type { AppliedTableChange, TableChange, TableChangePlan } from '@holdfast/protocol'
import { Button, copyText, Dialog, showToast } from '@holdfast/workspace'
import { FormError } from '../../components/form-error.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TextBlock } from '../../components/text-block.tsx'
import { WriteMigration } from '../../components/write-migration.tsx'
import { request } from '../../lib/api.ts'
import { queryClient } from '../../lib/query-client.ts'
import { saveText } from '../../lib/save-text.ts'
import { writeDraft } from '../policies/preview-draft.ts'

/** Shows the SQL of a change, and runs it. */
export function PlanDialog({
  title,
  change,
  onBack,
  onDone,
}: {
  readonly title: string
  readonly change: TableChange
  readonly onBack: () => void
  readonly onDone: () => void
}): JSX.Element {
  const [isWritten, setWritten] = useState(true)
  const plan = useQuery({
    queryKey: ['plan', change],
    queryFn: ({ signal }) => request<TableChangePlan>('POST /tables/changes/plan', { body: { change }, signal }),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
  const writesFile = isWritten && plan.data?.migrations.state === 'writable'
  const apply = useMutation({
    mutationFn: () =>
      request<AppliedTableChange>('POST /tables/changes', { body: { change, sql: plan.data?.sql ?? '', writesFile } }),
    onSuccess: async ({ file }) => {
      showToast({ text: file === undefined ? 'Done' : `Done, and written to ${file}` })
      onDone()
      for (const key of ['tables', 'table', 'rows']) await queryClient.invalidateQueries({ queryKey: [key] })
    },
  })
  return (
    <Dialog
      title={title}
      isOpen
      onClose={onBack}
      size="md"
      actions={
        <>
          <Button onPress={onBack}>Back</Button>
          <Button
            tone={change.kind.startsWith('drop_') ? 'danger' : 'primary'}
            isDisabled={!plan.data}
            isPending={apply.isPending}
            onPress={() => apply.mutate()}
          >
            Run
          </Button>
        </>
      }
    >
      <QueryState query={plan} rows={3}>
        {(data) => (
          <div className="flex flex-col gap-3">
            <Statements plan={data} />
            <WriteMigration migrations={data.migrations} isWritten={isWritten} onChange={setWritten} />
            <FormError error={apply.error} />
          </div>
        )}
      </QueryState>
    </Dialog>
  )
}

/** The SQL and its notes, to copy or save. */
function Statements({ plan: { sql, name, notes } }: { readonly plan: TableChangePlan }): JSX.Element {
  const navigate = useNavigate()
  return (
    <>
      <TextBlock label="SQL" className="max-h-72">
        {sql}
      </TextBlock>
      {notes.length === 0 ? null : (
        <ul className="flex flex-col gap-1 text-small text-muted">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap gap-2">
        <Button size="sm" icon={<Copy size={14} aria-hidden />} onPress={() => void copyText(sql, 'Copied')}>
          Copy
        </Button>
        <Button
          size="sm"
          icon={<Download size={14} aria-hidden />}
          onPress={() => saveText(`${name}.sql`, sql, 'application/sql')}
        >
          Download
        </Button>
        <Button
          size="sm"
          icon={<ScanEye size={14} aria-hidden />}
          onPress={() => {
            writeDraft(sql)
            void navigate({ to: '/policies/preview' })
          }}
        >
          Preview on devices
        </Button>
      </div>
    </>
  )
}
