import { useLocalDatabase, useRecords, useSchema } from '@holdfast/react'
import { useBackend } from '../data/backend-context.tsx'
import { useChosenWorkspace } from '../data/chosen-workspace.ts'
import type { NewCommand } from './record-change.ts'

/** Local name of `holdfast.workspaces`. */
const WORKSPACES_TABLE = 'hf_workspaces'
const MEMBERS_TABLE = 'hf_members'

/** The user's current workspace. */
export interface Workspace {
  readonly id: string
  readonly name: string
  /** IANA name. */
  readonly timeZone: string
  readonly language: string
  /** `null` for former members. */
  readonly role: string | null
}

/** Returns the chosen workspace, or else the oldest on this device; `undefined` while unknown, `null` if none. */
export function useWorkspace(): Workspace | null | undefined {
  const { tables } = useSchema()
  const { userId } = useLocalDatabase()
  const chosen = useChosenWorkspace()
  const hasZone =
    tables.some(({ name }) => name === MEMBERS_TABLE) &&
    tables.some(
      ({ name, columns }) => name === WORKSPACES_TABLE && columns.some((column) => column.name === 'time_zone'),
    )
  const { rows, isCurrent } = useRecords<Workspace>(
    hasZone
      ? `select w.id, w.name, w.time_zone as "timeZone", w.language,
                (select m.role from ${MEMBERS_TABLE} m where m.workspace_id = w.id and m.user_id = ? and m.status = 'active') as role
           from ${WORKSPACES_TABLE} w order by w.id = ? desc, w.created_at, w.id limit 1`
      : '',
    hasZone ? [userId, chosen ?? ''] : [],
  )
  if (!hasZone) return null
  return isCurrent ? (rows[0] ?? null) : undefined
}

/** The name that stands for the app: the user's workspace, or the project until that is known or while they are in none. */
export function useWorkspaceName(): string {
  const { config } = useBackend()
  return useWorkspace()?.name ?? config.project.name
}

/** Whether the server lets this person change the workspace. */
export function canChange({ role }: Workspace): boolean {
  return role === 'owner' || role === 'admin'
}

/** Returns the command that changes a workspace setting. */
export function changeWorkspace(
  workspace: Workspace,
  label: string,
  {
    name = workspace.name,
    timeZone = workspace.timeZone,
    language = workspace.language,
  }: Partial<Pick<Workspace, 'name' | 'timeZone' | 'language'>>,
): NewCommand {
  const change = {
    kind: 'update' as const,
    table: WORKSPACES_TABLE,
    id: workspace.id,
    values: {
      ...(name !== workspace.name && { name }),
      ...(timeZone !== workspace.timeZone && { time_zone: timeZone }),
      ...(language !== workspace.language && { language }),
    },
    before: {
      ...(name !== workspace.name && { name: workspace.name }),
      ...(timeZone !== workspace.timeZone && { time_zone: workspace.timeZone }),
      ...(language !== workspace.language && { language: workspace.language }),
    },
  }
  return { label, changes: [change] }
}
