import { explainVerdict, RecordGone, type RejectedChange } from '@holdfast/client'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Disclosure } from '../../components/disclosure.tsx'
import { ErrorNotice, type ShownError } from '../../components/error-notice.tsx'
import { LinkButton } from '../../components/link.tsx'
import { StateGlyph } from '../../components/state-glyph.tsx'
import { showToast } from '../../components/toast.tsx'
import { useDevice } from '../../lib/data/device-context.tsx'
import { formatMoment, humanize } from '../../lib/format.ts'
import { syncMessages as words } from '../../messages/sync.ts'
import { CompareTable } from './compare-table.tsx'
import { EditAndSendDialog } from './edit-and-send-dialog.tsx'
import { Operation } from './outbox-tab.tsx'
import { technicalDetails } from './technical-details.ts'
import { useRejectedRecord } from './use-rejected-record.ts'

/** A change that the server did not accept: its reason, yours beside the server's, and what can be done. */
export function RejectedChangeCard({
  change,
  workspace,
  headingLevel,
}: {
  readonly change: RejectedChange
  readonly workspace: string
  readonly headingLevel: 2 | 3
}): JSX.Element {
  const { rejected } = useDevice()
  const record = useRejectedRecord(change)
  const [layer, setLayer] = useState<'edit' | 'discard'>()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<ShownError | Error>()
  // For a few milliseconds; half of a card would say that the record is gone.
  if (record.isLoading) return <article aria-busy className="min-h-40 rounded-lg border border-border" />
  const explanation = explainVerdict(change.verdict, { column: (_, column) => humanize(column) })
  const Heading = headingLevel === 2 ? 'h2' : 'h3'
  const others = change.operations.filter(
    (operation) => operation.type !== change.table || operation.id !== change.recordId,
  )

  const decide = async (act: () => Promise<boolean>, done: string): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      const isDecided = await act()
      setLayer(undefined)
      showToast({ text: isDecided ? done : words.gone })
    } catch (cause) {
      setLayer(undefined)
      setError(
        cause instanceof RecordGone ? recordGone(cause) : cause instanceof Error ? cause : new Error(String(cause)),
      )
    } finally {
      setBusy(false)
    }
  }

  const details = technicalDetails(change)
  const isConflict = change.verdict.status === 'conflict'
  return (
    <article
      aria-label={words.cardLabel(record.noun, record.title)}
      className="overflow-hidden rounded-lg border border-border bg-raised"
    >
      <header className="flex flex-wrap items-start gap-x-3 gap-y-1 border-b border-border bg-danger-soft px-4 py-3">
        <span className="pt-0.5 text-danger">
          <StateGlyph name="triangle" size={18} />
        </span>
        <Heading className="min-w-0 flex-1 basis-40 text-heading [overflow-wrap:anywhere]">
          {words.recordWords(record.noun, record.title)} <span className="font-regular">{words.notAccepted}</span>
        </Heading>
        <time dateTime={change.at} className="text-small text-muted">
          {formatMoment(new Date(change.at))}
        </time>
      </header>
      <div className="flex flex-col gap-4 px-4 py-4">
        <dl className="grid gap-x-4 gap-y-1.5 tablet:grid-cols-[auto_1fr]">
          <dt className="text-muted">{words.plainWords}</dt>
          <dd className="[overflow-wrap:anywhere]">
            <span className="font-medium">{asSentence(explanation.title)}</span> {asSentence(explanation.advice)}
          </dd>
          <dt className="text-muted">{words.serverSaid}</dt>
          <dd className="font-mono text-mono [overflow-wrap:anywhere]">{change.verdict.message}</dd>
        </dl>
        <CompareTable change={change} record={record} />
        {others.length > 0 ? (
          <Disclosure title={words.otherChanges(others.length)}>
            <ul className="flex flex-col gap-1">
              {others.map((operation) => (
                <Operation key={operation.op_id} operation={operation} workspace={workspace} />
              ))}
            </ul>
          </Disclosure>
        ) : null}
        {error ? <ErrorNotice error={error} /> : null}
        <div className="flex flex-wrap gap-2">
          {record.fields.length > 0 && !isConflict ? (
            <Button tone="primary" isDisabled={isBusy} onPress={() => setLayer('edit')}>
              {words.editAndSend}
            </Button>
          ) : null}
          <Button
            isDisabled={isBusy}
            {...(record.fields.length > 0 && !isConflict ? {} : { tone: 'primary' as const })}
            onPress={() => void decide(() => rejected.retry(change.id), words.sentAgain)}
          >
            {isConflict ? words.keepMine : words.sendAgain}
          </Button>
          <Button isDisabled={isBusy} onPress={() => setLayer('discard')}>
            {isConflict ? words.keepTheirs : words.discard}
          </Button>
          {record.fields.length > 0 && isConflict ? (
            <Button isDisabled={isBusy} onPress={() => setLayer('edit')}>
              {words.editAndSend}
            </Button>
          ) : null}
          {record.table && record.isHere ? (
            <LinkButton
              tone="quiet"
              to="/w/$ws/t/$table/r/$record"
              params={{ ws: workspace, table: record.table.name, record: change.recordId }}
            >
              {words.openRecord}
            </LinkButton>
          ) : null}
        </div>
        <div className="border-t border-border pt-1">
          {change.held.length > 0 ? (
            <Disclosure title={words.heldWith(change.held.length)}>
              <ul className="flex flex-col gap-1">
                {change.held.flatMap(({ operations }) =>
                  operations.map((operation) => (
                    <Operation key={operation.op_id} operation={operation} workspace={workspace} />
                  )),
                )}
              </ul>
            </Disclosure>
          ) : null}
          <Disclosure title={`${words.details}: ${explanation.code}`}>
            <pre className="font-mono text-small whitespace-pre-wrap">{details}</pre>
            <Button
              size="sm"
              className="mt-2"
              onPress={() => {
                void navigator.clipboard.writeText(details).then(() => showToast({ text: words.copied }))
              }}
            >
              {words.copy}
            </Button>
          </Disclosure>
        </div>
      </div>
      {layer === 'edit' ? (
        <EditAndSendDialog
          change={change}
          record={record}
          explanation={`${asSentence(explanation.title)} ${asSentence(explanation.advice)}`.trim()}
          isPending={isBusy}
          onClose={() => setLayer(undefined)}
          onSend={(values) =>
            void decide(
              () => rejected.retry(change.id, [{ table: change.table, recordId: change.recordId, values }]),
              words.sentAgain,
            )
          }
        />
      ) : null}
      <ConfirmDialog
        title={words.discardTitle}
        isOpen={layer === 'discard'}
        onClose={() => setLayer(undefined)}
        confirmLabel={words.discard}
        isDanger
        isPending={isBusy}
        onConfirm={() => void decide(() => rejected.discard(change.id), words.discarded)}
      >
        <p>{words.discardDetail}</p>
        {change.held.length > 0 ? <p className="pt-2">{words.discardHeld(change.held.length)}</p> : null}
      </ConfirmDialog>
    </article>
  )
}

/** With a full stop; a rule's code, which is for programs, is left to the details. */
function asSentence(text: string): string {
  if (/^[\w.:-]+$/.test(text)) return ''
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

function recordGone(error: RecordGone): ShownError {
  return { code: 'HF-SYNC-NOROW', title: words.recordGone, detail: words.recordGoneDetail, technical: error.message }
}
