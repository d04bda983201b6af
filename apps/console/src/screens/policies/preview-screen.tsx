import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ScanEye } from 'lucide-react'
import { type JSX, useRef, useState } from 'react'
import type { ChangePreview, PolicyIdentity, SqlError } from '@holdfast/protocol'
import { Button, Notice, Page, Spinner } from '@holdfast/workspace'
import { FormError } from '../../components/form-error.tsx'
import { request } from '../../lib/api.ts'
import { SqlEditor, type SqlEditorHandle } from '../sql/sql-editor.tsx'
import { useNames } from '../sql/use-names.ts'
import { ApplyDialog } from './apply-dialog.tsx'
import { readDraft, writeDraft } from './preview-draft.ts'
import { PreviewResult } from './preview-result.tsx'
import { PreviewUsers, VISITOR } from './preview-users.tsx'

/** Timeout in ms of a preview, longer than the server's own. */
const TIMEOUT_MS = 60_000

/** Shows what SQL would change on the devices of users, before it is applied. */
export function PreviewScreen(): JSX.Element {
  const [sql, setSql] = useState(readDraft)
  const [users, setUsers] = useState<readonly string[]>([])
  const editor = useRef<SqlEditorHandle>(null)
  const names = useNames()
  const preview = useMutation({
    mutationFn: () =>
      request<ChangePreview>('POST /policies/preview', {
        timeoutMs: TIMEOUT_MS,
        body: {
          sql,
          users: users.map((id): PolicyIdentity => (id === VISITOR ? { kind: 'anon' } : { kind: 'user', id })),
        },
      }),
  })
  const start = (): void => {
    if (!preview.isPending && sql.trim() !== '') preview.mutate()
  }
  // A preview belongs to its SQL and users.
  const found = preview.isPending ? undefined : preview.data
  return (
    <Page title="Preview a change">
      <div className="flex max-w-5xl flex-col gap-6">
        <p className="max-w-[72ch] text-muted">
          Runs a policy or migration in a transaction that is rolled back, and shows what each user’s devices would gain
          and lose. Tables that the SQL locks make users wait for up to 10 s, usually much less.{' '}
          <Link to="/policies" search={{}} className="text-accent underline">
            All policies
          </Link>
        </p>
        <div className="h-60">
          <SqlEditor
            ref={editor}
            text={sql}
            names={names}
            onChange={(text) => {
              setSql(text)
              writeDraft(text)
              preview.reset()
            }}
            onRun={start}
          />
        </div>
        <PreviewUsers
          users={users}
          onChange={(chosen) => {
            setUsers(chosen)
            preview.reset()
          }}
        />
        <div className="flex flex-wrap items-center gap-2">
          <Button
            tone="primary"
            icon={<ScanEye size={16} aria-hidden />}
            onPress={start}
            isPending={preview.isPending}
            isDisabled={sql.trim() === ''}
          >
            Preview
          </Button>
          {found && !found.error ? <Apply sql={sql} onDone={preview.reset} /> : null}
        </div>
        <div aria-live="polite">
          {preview.isPending ? (
            <p className="flex items-center gap-2 text-muted">
              <Spinner /> Running
            </p>
          ) : null}
        </div>
        <FormError error={preview.error} />
        {found?.error ? <Refusal error={found.error} onPlace={(at) => editor.current?.select(at)} /> : null}
        {found && !found.error ? <PreviewResult preview={found} /> : null}
      </div>
    </Page>
  )
}

/** Applies the SQL once it has been previewed. */
function Apply({ sql, onDone }: { readonly sql: string; readonly onDone: () => void }): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onPress={() => setOpen(true)}>Apply…</Button>
      {isOpen ? <ApplyDialog sql={sql} onClose={() => setOpen(false)} onDone={onDone} /> : null}
    </>
  )
}

/** Why the SQL did not run. */
function Refusal({
  error: { message, detail, hint, code, position },
  onPlace,
}: {
  readonly error: SqlError
  readonly onPlace: (position: number) => void
}): JSX.Element {
  return (
    <Notice
      tone="danger"
      role="alert"
      title={message}
      actions={
        position === undefined ? undefined : (
          <Button size="sm" onPress={() => onPlace(position)}>
            Show the place
          </Button>
        )
      }
    >
      {[detail, hint, code && `SQLSTATE ${code}`].filter(Boolean).join(' · ')}
    </Notice>
  )
}
