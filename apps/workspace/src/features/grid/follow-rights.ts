import type { LocalDatabase } from '@holdfast/client'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'
import { type RecordRights, toRights, writesOf } from '../../lib/records/record-rights.ts'
import { notOfferedWords, refusalWords } from '../../lib/records/refusal-words.ts'
import { rightMessages } from '../../messages/rights.ts'
import type { GridRow } from './window-cache.ts'

/** What the rules leave of one row, in words. */
export interface ActiveRights {
  /** Why a field cannot be changed to anything. */
  readonly fields: ReadonlyMap<string, string>
  /** Of fields with a choice that is refused. */
  readonly choices: ReadonlyMap<string, RefusedChoices>
}

export interface RefusedChoices {
  readonly choices: ReadonlySet<string>
  /** Which are missing from the list, and why; the one that is set stays in it. */
  readonly words: string | undefined
}

interface Asked {
  readonly table: TableInfo
  readonly fields: readonly Field[]
  readonly row: GridRow
}

/**
 * Says what the rules leave of a row, and again when they change.
 *
 * @returns ends it
 */
export function followRights(
  local: LocalDatabase,
  { table, fields, row }: Asked,
  onRights: (rights: ActiveRights) => void,
): () => void {
  const asked = fields.filter((field) => field.isEditable)
  const writes = writesOf(table, row.id, asked, row)
  let isOver = false
  const judge = async (): Promise<void> => {
    const judgements = await local.judge(writes)
    if (!isOver) onRights(inWords(toRights(asked, judgements), { table, fields, row }))
  }
  const judgeNow = (): void => {
    judge().catch((error: unknown) => {
      // A database that is being closed answers nothing. Whatever else it is, the server decides.
      if (!isOver && !local.database.closed) console.warn(error)
    })
  }
  judgeNow()
  const stop = local.writeRules.subscribe(judgeNow)
  return () => {
    isOver = true
    stop()
  }
}

function inWords(rights: RecordRights, { table, fields, row }: Asked): ActiveRights {
  const known = new Map(fields.map((field) => [field.name, field]))
  return {
    fields: new Map(
      [...rights.fields].map(([name, refusal]) => {
        const what = rights.readOnly ? rightMessages.readOnly(table.noun) : `${known.get(name)?.label ?? name}:`
        return [name, `${what} ${refusalWords(refusal, fields)}`]
      }),
    ),
    choices: new Map(
      [...rights.choices].map(([name, refused]) => [
        name,
        {
          choices: new Set(refused.keys()),
          words: notOfferedWords(known.get(name) ?? { name, label: name }, row[name] ?? null, refused),
        },
      ]),
    ),
  }
}
