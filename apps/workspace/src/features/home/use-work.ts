import { useLocalDatabase, useSchema } from '@holdfast/react'
import type { SchemaDescriptor } from '@holdfast/protocol'
import { useMemo } from 'react'
import { useToday } from '../../hooks/use-today.ts'
import { useTables } from '../../lib/data/use-tables.tsx'
import { type TeamTable, teamTablesOf } from '../../lib/records/team-work.ts'
import { type WorkTable, workTablesOf } from '../../lib/records/work-tables.ts'

/** The user, the tables with work, and the current day. */
export interface Work {
  readonly schema: SchemaDescriptor
  /** Account id. */
  readonly userId: string
  readonly work: readonly WorkTable[]
  /** Also the tables without an assignee. */
  readonly team: readonly TeamTable[]
  /** `YYYY-MM-DD`. */
  readonly today: string
}

export function useWork(): Work {
  const schema = useSchema()
  const tables = useTables()
  const { userId } = useLocalDatabase()
  const today = useToday()
  const work = useMemo(() => workTablesOf(schema, tables), [schema, tables])
  const team = useMemo(() => teamTablesOf(schema, tables), [schema, tables])
  return { schema, userId, work, team, today }
}
