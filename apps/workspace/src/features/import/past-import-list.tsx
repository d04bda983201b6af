import { useLocalDatabase, useRecords } from '@holdfast/react'
import { Undo2 } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Progress } from '../../components/progress.tsx'
import { Row, Rows, Section } from '../../components/section.tsx'
import { showToast } from '../../components/toast.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useTables } from '../../lib/data/use-tables.tsx'
import { formatMoment } from '../../lib/format.ts'
import type { Command } from '../../lib/records/record-change.ts'
import { importMessages as words } from '../../messages/import.ts'
import { PAST_IMPORTS_SQL, type PastImport, pastImportsSince, readPastImport } from './past-imports.ts'
import { countKept, refusalOfUndo, undoImport } from './run-import.ts'

/** An import that the user is asked about, or that is being undone. */
interface Chosen {
  readonly past: PastImport
  readonly commands: Command[]
  /** Records that were changed since; `undefined` while they are counted. */
  readonly kept?: number
  /** Why the rules would refuse the undo of some records. */
  readonly refusal?: string | undefined
  /** Changes undone so far. */
  readonly undone?: number
}

/** The last imports of this device, each with its undo, also after a reload. */
export function PastImportList(): JSX.Element | null {
  const local = useLocalDatabase()
  const { database, rejected } = local
  const tables = useTables()
  const tableOf = ({ table }: PastImport): TableInfo | undefined => tables.find(({ name }) => name === table)
  const [since] = useState(() => pastImportsSince(new Date()))
  const { rows } = useRecords<PastImport>(PAST_IMPORTS_SQL, [since])
  const [chosen, setChosen] = useState<Chosen>()
  const shown = rows.filter((past) => tableOf(past) !== undefined)
  const choose = async (past: PastImport): Promise<void> => {
    const commands = await readPastImport(database, past)
    setChosen({ past, commands })
    const kept = await countKept(database, commands)
    const [[first], table] = [commands, tableOf(past)]
    // The first records stand for the others.
    const refusal = first && table && (await refusalOfUndo(local, table, first))
    setChosen((now) => (now?.past.id === past.id ? { ...now, kept, refusal } : now))
  }
  const undo = async (one: Chosen): Promise<void> => {
    try {
      const kept = await undoImport(database, rejected, one.commands, (undone) => setChosen({ ...one, undone }))
      showToast({ text: kept === 0 ? words.undone : words.undoneExcept(kept) })
    } catch (error) {
      console.warn('The import was not undone.', error)
      showToast({ text: words.undoFailed })
    }
    setChosen(undefined)
  }
  if (shown.length === 0 && chosen === undefined) return null
  return (
    <Section title={words.past} description={words.pastDetail}>
      <Rows label={words.past}>
        {shown.map((past) => (
          <Row
            key={past.id}
            title={past.fileName}
            actions={
              <Button
                size="sm"
                icon={<Undo2 size={14} aria-hidden />}
                aria-label={words.undoOf(past.fileName)}
                onPress={() => void choose(past)}
              >
                {words.undo}
              </Button>
            }
          >
            {words.pastOf(tableOf(past)?.label ?? past.table, past.records, formatMoment(new Date(past.at)))}
          </Row>
        ))}
      </Rows>
      {chosen ? (
        <UndoDialog chosen={chosen} onUndo={() => void undo(chosen)} onClose={() => setChosen(undefined)} />
      ) : null}
    </Section>
  )
}

function UndoDialog({
  chosen: { past, commands, kept, refusal, undone },
  onUndo,
  onClose,
}: {
  readonly chosen: Chosen
  readonly onUndo: () => void
  readonly onClose: () => void
}): JSX.Element {
  const [{ added, changed }] = useState(() => {
    const all = commands.flatMap(({ changes }) => changes)
    const inserts = all.filter(({ kind }) => kind === 'insert').length
    return { added: inserts, changed: all.length - inserts }
  })
  return (
    <ConfirmDialog
      title={words.undoTitle(past.fileName)}
      isOpen
      // An undo runs to its end.
      onClose={undone === undefined ? onClose : () => undefined}
      confirmLabel={words.undo}
      isDanger
      isPending={undone !== undefined}
      isDisabled={kept === undefined}
      onConfirm={onUndo}
    >
      <div className="flex flex-col gap-2">
        {added > 0 ? <p>{words.undoDeletes(added)}</p> : null}
        {changed > 0 ? <p>{words.undoRestores(changed)}</p> : null}
        <p role="status">{kept === undefined ? words.counting : words.keeps(kept)}</p>
        {refusal === undefined ? null : <p className="text-danger">{words.undoRefused(refusal)}</p>}
        {undone === undefined ? null : (
          <Progress
            label={words.undoing}
            value={undone}
            total={past.records}
            valueText={words.checked(undone, past.records)}
          />
        )}
      </div>
    </ConfirmDialog>
  )
}
