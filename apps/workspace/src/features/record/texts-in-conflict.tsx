import type { EditedValues, RejectedChange } from '@holdfast/client'
import { useLocalDatabase } from '@holdfast/react'
import type { JSX } from 'react'
import { Button } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { TextVersions } from '../../components/fields/text-versions.tsx'
import { useDecision } from '../../components/records/use-decision.ts'
import type { Field } from '../../lib/fields/field.ts'
import type { LocalValueOf } from '../../lib/fields/field-value.ts'
import { formatMoment } from '../../lib/format.ts'
import { conflictingTexts } from '../../lib/records/conflicting-texts.ts'
import { syncMessages as words } from '../../messages/sync.ts'

const stay = (): void => undefined

/** The texts of a record that two users changed, side by side, and the choice between them. Renders nothing for other refused changes. */
export function TextsInConflict({
  change,
  fields,
}: {
  readonly change: RejectedChange
  readonly fields: readonly Field[]
}): JSX.Element | null {
  const { rejected } = useLocalDatabase()
  const { isBusy, error, decide } = useDecision(stay)
  const written = writtenIn(change)
  const texts = conflictingTexts(change, {
    fields: fields.map(({ column }) => ({ column, yours: written[column.name] })),
  })
  // The Sync centre shows what else was written.
  if (texts.length === 0 || texts.length < Object.keys(written).length) return null
  const both: EditedValues = {
    table: change.table,
    recordId: change.recordId,
    values: Object.fromEntries(texts.map((text) => [text.column.name, text.both])),
  }
  const mine = words.yoursAt(formatMoment(new Date(change.at)))
  return (
    <div className="flex flex-col gap-3 pt-1">
      {texts.map(({ column, ...text }) => (
        <section
          key={column.name}
          aria-label={fields.find((field) => field.column === column)?.label}
          className="flex flex-col gap-1.5"
        >
          {texts.length > 1 ? (
            <p className="text-small font-medium">{fields.find((field) => field.column === column)?.label}</p>
          ) : null}
          <TextVersions mine={{ title: mine, text: text.mine }} theirs={{ title: words.onServer, text: text.theirs }} />
        </section>
      ))}
      {error ? <ErrorNotice error={error} /> : null}
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          isDisabled={isBusy}
          onPress={() => void decide([() => rejected.retry(change.id)], () => words.sentAgain)}
        >
          {words.keepMine}
        </Button>
        <Button
          size="sm"
          isDisabled={isBusy}
          onPress={() => void decide([() => rejected.discard(change.id)], () => words.discarded)}
        >
          {words.keepTheirs}
        </Button>
        <Button
          size="sm"
          isDisabled={isBusy}
          onPress={() => void decide([() => rejected.retry(change.id, [both])], () => words.keptBoth)}
        >
          {words.keepBoth}
        </Button>
      </div>
    </div>
  )
}

/** Returns what the change wrote into its record; later writes override earlier ones. */
function writtenIn({ table, recordId, operations }: RejectedChange): Readonly<Record<string, LocalValueOf>> {
  const own = operations.filter(({ type, id }) => type === table && id === recordId)
  return Object.assign({}, ...own.map(({ data }) => data ?? {})) as Record<string, LocalValueOf>
}
