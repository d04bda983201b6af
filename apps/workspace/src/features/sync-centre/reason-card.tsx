import { useLocalDatabase } from '@holdfast/react'
import { useFindTable, useWordedSchema } from '../../lib/data/use-tables.tsx'
import type { RejectedChange } from '@holdfast/client'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { LinkButton } from '../../components/link.tsx'
import { StateGlyph } from '../../components/state-glyph.tsx'
import { humanize } from '../../lib/format.ts'
import { syncMessages as words } from '../../messages/sync.ts'
import { asSentence } from './as-sentence.ts'
import { DiscardDialog } from './discard-dialog.tsx'
import { EditManyDialog } from './edit-many-dialog.tsx'
import { exportChanges } from './export-changes.ts'
import { Operation } from './outbox-tab.tsx'
import { type Decisions, useDecision } from '../../components/records/use-decision.ts'
import { useKeepable } from './use-keepable.ts'
import { useHoldCard } from './together.tsx'
import { writtenRecords } from './written-records.ts'
import { WrittenValues } from './written-values.tsx'
import { verdictWords } from '../../lib/records/verdict-words.ts'

/** Changes listed before "show more". */
const CHANGES_SHOWN = 10

/** Changes rejected for the same reason, shown once and decided together. */
export function ReasonCard({
  changes,
  workspace,
}: {
  /** At least one. */
  readonly changes: readonly RejectedChange[]
  readonly workspace: string
}): JSX.Element | null {
  const findTable = useFindTable()
  const [shown, setShown] = useState(CHANGES_SHOWN)
  const [first] = changes
  if (!first) return null
  const explanation = verdictWords(first.verdict)
  const table = findTable(first.table)
  const many = table?.many ?? humanize(first.table).toLowerCase()
  return (
    <article
      aria-label={words.groupLabel(changes.length, many)}
      className="overflow-hidden rounded-lg border border-border bg-raised"
    >
      <header className="flex items-start gap-3 border-b border-border bg-danger-soft px-4 py-3">
        <span className="pt-0.5 text-danger">
          <StateGlyph name="triangle" size={18} />
        </span>
        <h2 className="min-w-0 flex-1 text-heading">
          {words.groupTitle(changes.length, many)} <span className="font-regular">{words.groupNotAccepted}</span>
        </h2>
      </header>
      <div className="flex flex-col gap-4 px-4 py-4">
        <p className="[overflow-wrap:anywhere]">
          <span className="font-medium">{asSentence(explanation.title)}</span> {asSentence(explanation.advice)}
        </p>
        <GroupDecisions changes={changes} />
        <ul className="rounded-md border border-border">
          {changes.slice(0, shown).map((change) => (
            <li
              key={change.id}
              className="flex flex-wrap items-start gap-x-4 gap-y-1 border-border px-3 py-2 not-first:border-t"
            >
              <ul className="flex min-w-0 flex-1 basis-56 flex-col gap-1">
                {change.operations.map((operation) => (
                  <Operation key={operation.op_id} operation={operation} workspace={workspace}>
                    <WrittenValues operation={operation} />
                  </Operation>
                ))}
                {change.held.length > 0 ? (
                  <li className="text-small text-muted">{words.heldTitle(change.held.length)}</li>
                ) : null}
              </ul>
              <LinkButton
                size="sm"
                tone="quiet"
                to="/w/$ws/sync/$item"
                params={{ ws: workspace, item: change.id }}
                aria-label={words.decideOne(titleOf(change))}
              >
                {words.decideAlone}
              </LinkButton>
            </li>
          ))}
        </ul>
        {changes.length > shown ? (
          <Button className="self-start" onPress={() => setShown(shown + 50)}>
            {words.showMore(changes.length - shown)}
          </Button>
        ) : null}
      </div>
    </article>
  )

  function titleOf(change: RejectedChange): string {
    const column = table?.titleColumn
    const written = column === undefined ? undefined : change.operations[0]?.data?.[column]
    return written === undefined || written === null ? change.recordId : String(written)
  }
}

function GroupDecisions({ changes }: { readonly changes: readonly RejectedChange[] }): JSX.Element {
  const { database, rejected } = useLocalDatabase()
  const schema = useWordedSchema()
  const [layer, setLayer] = useState<'edit' | 'discard'>()
  const { isBusy, error, decide } = useDecision(() => setLayer(undefined))
  useHoldCard(layer !== undefined)
  const isConflict = changes[0]?.verdict.status === 'conflict'
  const kept = useKeepable(changes)
  const isGone = changes[0]?.verdict.status === 'no_row'
  const canEdit = !isGone && changes.every((change) => writtenRecords(change, schema).length > 0)
  const discard = (
    <Button {...(isGone ? { tone: 'primary' as const } : {})} isDisabled={isBusy} onPress={() => setLayer('discard')}>
      {isConflict ? words.keepTheirsMany(changes.length) : words.discardMany(changes.length)}
    </Button>
  )
  return (
    <>
      {error && layer === undefined ? <ErrorNotice error={error} /> : null}
      <div className="flex flex-wrap gap-2">
        {isGone ? discard : null}
        {canEdit ? (
          <Button tone="primary" isDisabled={isBusy} onPress={() => setLayer('edit')}>
            {words.editMany(changes.length)}
          </Button>
        ) : null}
        <SendAgain {...{ changes, kept, isConflict, isBusy, decide }} />
        {isGone ? null : discard}
        <Button tone="quiet" onPress={() => void exportChanges(database, schema, changes)}>
          {words.exportAsFile}
        </Button>
      </div>
      {kept.length === changes.length ? null : (
        <p className="text-small text-muted">{words.notKeepable(changes.length - kept.length)}</p>
      )}
      {layer === 'edit' ? (
        <EditManyDialog
          changes={changes}
          isPending={isBusy}
          error={error}
          onClose={() => setLayer(undefined)}
          onSend={(edit) =>
            void decide(
              changes.map((change) => () => rejected.retry(change.id, ...edit(change))),
              words.sentMany,
            )
          }
        />
      ) : null}
      <DiscardDialog
        changes={changes}
        isOpen={layer === 'discard'}
        isPending={isBusy}
        error={error}
        onClose={() => setLayer(undefined)}
        onDiscard={(withHeld) =>
          void decide(
            changes.map(
              ({ id }) =>
                () =>
                  rejected.discard(id, { withHeld }),
            ),
            words.discardedMany,
          )
        }
      />
    </>
  )
}

/** Sends the changes again, of conflicts those whose values can replace the others. */
function SendAgain({
  changes,
  kept,
  isConflict,
  isBusy,
  decide,
}: {
  readonly changes: readonly RejectedChange[]
  readonly kept: readonly RejectedChange[]
  readonly isConflict: boolean
  readonly isBusy: boolean
  readonly decide: Decisions['decide']
}): JSX.Element | null {
  const { rejected } = useLocalDatabase()
  if (kept.length === 0) return null
  const text = !isConflict
    ? words.sendMany(changes.length)
    : kept.length === changes.length
      ? words.keepMineMany(changes.length)
      : words.keepMineSome(kept.length)
  return (
    <Button
      isDisabled={isBusy}
      onPress={() =>
        void decide(
          kept.map(
            ({ id }) =>
              () =>
                rejected.retry(id),
          ),
          words.sentMany,
        )
      }
    >
      {text}
    </Button>
  )
}
