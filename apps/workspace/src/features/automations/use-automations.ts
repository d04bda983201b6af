import { useRecords, useSchema } from '@holdfast/react'
import { type AutomationConfig, parseAutomation } from '@holdfast/protocol'
import { useMemo } from 'react'
import { useTables, useWordedSchema } from '../../lib/data/use-tables.tsx'
import { automatedTables, type AutomatedTable } from './draft.ts'

interface AutomationRow {
  readonly id: string
  readonly name: string
  readonly config: string
  readonly isOn: 0 | 1
  /** Why the server has stopped it. */
  readonly reason: string | null
  /** Labels of the tables and fields that it names and that are gone. */
  readonly lacks: string | null
  readonly runsAs: string | null
  /** Latest run. */
  readonly state: string | null
  readonly endedAt: string | null
}

export interface StoredAutomation extends Omit<AutomationRow, 'config' | 'isOn'> {
  /** `undefined` for one of a later version. */
  readonly config: AutomationConfig | undefined
  readonly isOn: boolean
}

/** The automations of a workspace on this device, by name; `undefined` while loading. */
export function useAutomations(workspace: string): readonly StoredAutomation[] | undefined {
  const areKept = useSchema().tables.some(({ name }) => name === 'hf_automations')
  const { rows, isLoading } = useRecords<AutomationRow>(
    areKept
      ? `select a.id, a.name, a.config, a.is_on as "isOn", a.paused_reason as reason, a.lacks,
                (select m.name from hf_members m where m.workspace_id = a.workspace_id and m.user_id = a.runs_as) as "runsAs",
                (select r.state from hf_automation_runs r where r.automation_id = a.id order by r.ended_at desc limit 1) as state,
                (select max(r.ended_at) from hf_automation_runs r where r.automation_id = a.id) as "endedAt"
           from hf_automations a where a.workspace_id = ? order by a.name collate nocase, a.id`
      : '',
    areKept ? [workspace] : [],
  )
  const parsed = useMemo(
    () => rows.map((row) => ({ ...row, config: parseAutomation(row.config), isOn: row.isOn === 1 })),
    [rows],
  )
  return areKept && isLoading ? undefined : parsed
}

export function useAutomatedTables(workspace: string): readonly AutomatedTable[] {
  const tables = useTables()
  const schema = useWordedSchema()
  return useMemo(() => automatedTables(tables, schema, workspace), [tables, schema, workspace])
}
