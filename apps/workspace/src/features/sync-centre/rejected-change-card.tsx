import { type EditedValues, type RejectedChange } from '@holdfast/client'
import { useWordedSchema } from '../../lib/data/use-tables.tsx'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Disclosure } from '../../components/disclosure.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { LinkButton } from '../../components/link.tsx'
import { StateGlyph } from '../../components/state-glyph.tsx'
import { useLocalDatabase } from '@holdfast/react'
import { labelOf } from '../../lib/data/column-words.ts'
import { formatMoment } from '../../lib/format.ts'
import { syncMessages as words } from '../../messages/sync.ts'
import { asSentence } from './as-sentence.ts'
import { conflictingTexts } from '../../lib/records/conflicting-texts.ts'
import { CompareTable } from './compare-table.tsx'
import { DiscardDialog } from './discard-dialog.tsx'
import { EditAndSendDialog } from './edit-and-send-dialog.tsx'
import { exportChanges } from './export-changes.ts'
import { HeldChanges } from './held-changes.tsx'
import { Operation } from './outbox-tab.tsx'
import { RefusalReason } from './refusal-reason.tsx'
import { technicalDetails } from './technical-details.ts'
import { useHoldCard } from './together.tsx'
import { useDecision } from '../../components/records/use-decision.ts'
import { useKeepable } from './use-keepable.ts'
import { type RejectedRecord, useRejectedRecord } from './use-rejected-record.ts'
import { WrittenValues } from './written-values.tsx'
import { useTakenWords } from '../../lib/records/use-taken-by.ts'
import { verdictWords } from '../../lib/records/verdict-words.ts'
import { copyText } from '../../components/copy-text.ts'

interface CardProps {
  readonly change: RejectedChange
  readonly workspace: string
}

/** A rejected change: its reason, the user's and the server's values, and the actions. */
export function RejectedChangeCard({
  change,
  workspace,
  headingLevel,
}: CardProps & { readonly headingLevel: 2 | 3 }): JSX.Element {
  const record = useRejectedRecord(change)
  const taken = useTakenWords(change)
  // Loading takes a few milliseconds; a partial card would claim that the record is gone.
  if (record.isLoading) return <article aria-busy className="min-h-40 rounded-lg border border-border" />
  const explanation = verdictWords(change.verdict)
  const Heading = headingLevel === 2 ? 'h2' : 'h3'
  const others = change.operations.filter(
    (operation) => operation.type !== change.table || operation.id !== change.recordId,
  )
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
        <RefusalReason verdict={change.verdict} taken={taken} />
        <CompareTable change={change} record={record} />
        {others.length > 0 ? (
          <section aria-label={words.otherChanges(others.length)}>
            <p className="pb-1 text-small text-muted">{words.otherChanges(others.length)}</p>
            <ul className="flex flex-col gap-1">
              {others.map((operation) => (
                <Operation key={operation.op_id} operation={operation} workspace={workspace}>
                  <WrittenValues operation={operation} />
                </Operation>
              ))}
            </ul>
          </section>
        ) : null}
        <HeldChanges change={change} workspace={workspace} />
        <Decisions change={change} workspace={workspace} record={record} />
        <Details change={change} code={explanation.code} />
      </div>
    </article>
  )
}

function Decisions({ change, workspace, record }: CardProps & { readonly record: RejectedRecord }): JSX.Element {
  const { database, rejected } = useLocalDatabase()
  const schema = useWordedSchema()
  const [layer, setLayer] = useState<'edit' | 'discard'>()
  const { isBusy, error, decide } = useDecision(() => setLayer(undefined))
  useHoldCard(layer !== undefined)
  const { title, advice } = verdictWords(change.verdict)
  const isConflict = change.verdict.status === 'conflict'
  const isOffered = useKeepable([change]).length > 0
  // Editing values cannot help if the record is gone or no longer the user's.
  const isGone = change.verdict.status === 'no_row'
  const canEdit = record.fields.length > 0 && !isGone
  const partly = partlyRefused(change, record)
  const leftOut = { table: change.table, recordId: change.recordId, columns: partly.map(({ name }) => name) }
  const edit = (
    <Button tone={isConflict ? 'secondary' : 'primary'} isDisabled={isBusy} onPress={() => setLayer('edit')}>
      {words.editAndSend}
    </Button>
  )
  const discard = (
    <Button {...(isGone ? { tone: 'primary' as const } : {})} isDisabled={isBusy} onPress={() => setLayer('discard')}>
      {isConflict ? words.keepTheirs : words.discard}
    </Button>
  )
  return (
    <>
      {error && layer === undefined ? <ErrorNotice error={error} /> : null}
      <div className="flex flex-wrap gap-2">
        {isGone ? discard : null}
        {canEdit && !isConflict ? edit : null}
        {isOffered ? (
          <Button
            isDisabled={isBusy}
            tone={(canEdit && !isConflict) || isGone ? 'secondary' : 'primary'}
            onPress={() => void decide([() => rejected.retry(change.id)], () => words.sentAgain)}
          >
            {isConflict ? words.keepMine : words.sendAgain}
          </Button>
        ) : null}
        <KeepBoth
          {...{ change, record, isBusy }}
          onKeep={(edit) => void decide([() => rejected.retry(change.id, [edit])], () => words.keptBoth)}
        />
        {partly.length > 0 ? (
          <Button
            isDisabled={isBusy}
            onPress={() => void decide([() => rejected.retry(change.id, [], [leftOut])], () => words.sentPartly)}
          >
            {words.dropFields(partly.map(({ label }) => label))}
          </Button>
        ) : null}
        {isGone ? null : discard}
        {canEdit && isConflict ? edit : null}
        <Button tone="quiet" onPress={() => void exportChanges(database, schema, [change])}>
          {words.exportAsFile}
        </Button>
        <OpenRecord {...{ change, record, workspace }} />
      </div>
      {layer === 'edit' ? (
        <EditAndSendDialog
          change={change}
          record={record}
          explanation={`${asSentence(title)} ${asSentence(advice)}`.trim()}
          {...{ error, isPending: isBusy, onClose: () => setLayer(undefined) }}
          onSend={(edits, leftOut) =>
            void decide([() => rejected.retry(change.id, edits, leftOut)], () => words.sentAgain)
          }
        />
      ) : null}
      <DiscardDialog
        changes={[change]}
        isOpen={layer === 'discard'}
        isPending={isBusy}
        error={error}
        onClose={() => setLayer(undefined)}
        onDiscard={(withHeld) => void decide([() => rejected.discard(change.id, { withHeld })], () => words.discarded)}
      />
    </>
  )
}

function OpenRecord({
  change,
  record,
  workspace,
}: CardProps & { readonly record: RejectedRecord }): JSX.Element | null {
  if (!record.table || !record.isHere) return null
  return (
    <LinkButton
      tone="quiet"
      to="/w/$ws/t/$table/r/$record"
      params={{ ws: workspace, table: record.table.name, record: change.recordId }}
    >
      {words.openRecord}
    </LinkButton>
  )
}

/** Sends the lines of both versions of long texts. */
function KeepBoth({
  change,
  record,
  isBusy,
  onKeep,
}: {
  readonly change: RejectedChange
  readonly record: RejectedRecord
  readonly isBusy: boolean
  readonly onKeep: (edit: EditedValues) => void
}): JSX.Element | null {
  const texts = conflictingTexts(change, record)
  if (texts.length === 0) return null
  const values = Object.fromEntries(texts.map(({ column, both }) => [column.name, both]))
  return (
    <Button isDisabled={isBusy} onPress={() => onKeep({ table: change.table, recordId: change.recordId, values })}>
      {words.keepBoth}
    </Button>
  )
}

function Details({ change, code }: { readonly change: RejectedChange; readonly code: string }): JSX.Element {
  const details = technicalDetails(change)
  return (
    <div className="border-t border-border pt-1">
      <Disclosure title={`${words.details}: ${code}`}>
        <pre className="font-mono text-small whitespace-pre-wrap">{details}</pre>
        <Button size="sm" className="mt-2" onPress={() => void copyText(details, words.copied)}>
          {words.copy}
        </Button>
      </Disclosure>
    </div>
  )
}

/** Returns the fields named by the rejection or gone from the table, if the change has others, which can be sent without them. */
function partlyRefused(
  { verdict }: RejectedChange,
  { fields, lost }: RejectedRecord,
): readonly { readonly name: string; readonly label: string }[] {
  const named =
    verdict.status === 'conflict'
      ? Object.keys(verdict.current)
      : verdict.status === 'error' && verdict.column !== undefined
        ? [verdict.column]
        : []
  const written = fields.filter(({ yours }) => yours !== undefined)
  const refused = written.flatMap(({ column }) =>
    named.includes(column.name) ? [{ name: column.name, label: labelOf(column) }] : [],
  )
  return refused.length < written.length ? [...refused, ...lost] : []
}
