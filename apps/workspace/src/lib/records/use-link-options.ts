import { useLocalDatabase } from '@holdfast/react'
import { useEffect, useState } from 'react'
import type { LinkTarget } from '../fields/field.ts'
import { matchSql } from '../match-sql.ts'
import { quoteName } from '../sql.ts'

export interface LinkOption {
  readonly id: string
  readonly label: string
}

/** Maximum records offered in a picker; typing narrows. */
export const LINK_OPTIONS_MAX = 50

/** Returns records whose title contains the text, prefix matches first. While loading: the previous result, or `undefined`. */
export function useLinkOptions(target: LinkTarget | undefined, text: string): readonly LinkOption[] | undefined {
  const { database } = useLocalDatabase()
  const [answer, setAnswer] = useState<{ readonly text: string; readonly options: readonly LinkOption[] }>()
  const table = target?.table
  const titleColumn = target?.titleColumn
  // Read once per text, without live updates.
  useEffect(() => {
    if (table === undefined) return
    let isCurrent = true
    const title = titleColumn === undefined ? 'id' : quoteName(titleColumn)
    const has = matchSql(`coalesce(${title}, '')`, text.trim())
    const begins = matchSql(title, text.trim(), 'start')
    database
      .getAll<{ readonly id: string; readonly label: string | number | null }>(
        `select id, ${title} as label from ${quoteName(table)}
          where ${has.text} order by ${begins.text} desc, ${title} collate nocase, id limit ${LINK_OPTIONS_MAX}`,
        [...has.values, ...begins.values],
      )
      .then((rows) => {
        if (isCurrent)
          setAnswer({
            text,
            options: rows.map(({ id, label }) => ({
              id,
              label: label === null || label === '' ? id.slice(0, 8) : String(label),
            })),
          })
      })
      .catch((error: unknown) => {
        console.warn('The records to choose from could not be read.', error)
        if (isCurrent) setAnswer({ text, options: [] })
      })
    return () => {
      isCurrent = false
    }
  }, [database, table, titleColumn, text])
  return answer?.text === text || answer?.options.length ? answer.options : undefined
}
