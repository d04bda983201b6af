import type { LocalDatabase } from '@holdfast/client'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'
import { type RecordRights, toRights, writesOf } from '../../lib/records/record-rights.ts'
import { notOfferedWords, refusalWords } from '../../lib/records/refusal-words.ts'
import { rightMessages } from '../../messages/rights.ts'
import type { GridRow } from './window-cache.ts'

/** What policies allow in one row, as texts. */
export interface ActiveRights {
  /** Reasons by field, for fields that cannot be changed. */
  readonly fields: ReadonlyMap<string, string>
  /** Refused choices by field. */
  readonly choices: ReadonlyMap<string, RefusedChoices>
}

export interface RefusedChoices {
  readonly choices: ReadonlySet<string>
  /** Which choices are missing from the list, and why. The current choice stays in the list. */
  readonly words: string | undefined
}

interface Asked {
  readonly table: TableInfo
  readonly fields: readonly Field[]
  readonly row: GridRow
}

/**
 * Reports what policies allow in a row, now and after every change.
 *
 * @returns a function that stops reporting
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
      // A database that is closing does not answer. In any case the server decides.
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
