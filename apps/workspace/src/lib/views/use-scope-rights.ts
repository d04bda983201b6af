import { useJudgements, useSchema } from '@holdfast/react'
import { useLastKnown } from '../use-last-known.ts'
import { useWorkspace } from '../records/use-workspace.ts'
import { VIEW_SCOPES, type ViewScope } from './use-views.ts'

/** What policies let the user do with rows that are personal, shared or locked, as far as this device knows; the server decides. */
export interface ScopeRights {
  readonly canChange: boolean
  readonly canDelete: boolean
  /** Scopes of rows that the user may create. */
  readonly scopes: readonly ViewScope[]
  /** Returns the workspace of a new row with this scope. `null`: none, because it belongs to the project. `undefined`: the server stores none. */
  readonly workspaceOf: (scope: ViewScope) => string | null | undefined
}

interface ScopedRow {
  readonly id: string
  readonly scope: string | null
  readonly owner_id: string | null
  readonly workspace_id?: string | null
}

/**
 * Returns the user's rights on a table such as `hf_views`.
 *
 * @param saved - the open row
 */
export function useScopeRights(table: string, saved: ScopedRow | undefined, userId: string): ScopeRights {
  const own = useWorkspace()
  const areOfWorkspaces = useSchema()
    .tables.find(({ name }) => name === table)
    ?.columns.some(({ name }) => name === 'workspace_id')
  // A shared row belongs to the workspace; users who may only share with the whole project do that instead.
  const places = areOfWorkspaces ? [...(own ? [own.id] : []), null] : [undefined]
  const wishes = VIEW_SCOPES.flatMap((scope) => places.map((workspace) => ({ scope, workspace })))
  const row = saved && { ...saved }
  const asked = [
    ...wishes.map(({ scope, workspace }) => ({
      table,
      command: 'insert' as const,
      after: { scope, owner_id: userId, ...(workspace !== undefined && { workspace_id: workspace }) },
    })),
    ...(row
      ? [
          { table, command: 'update' as const, before: row, after: row, changed: ['config'] },
          { table, command: 'delete' as const, before: row },
        ]
      : []),
  ]
  const judgements = useLastKnown(useJudgements(asked), `${saved?.id} ${asked.length}`)
  // Offered once it is known, so that nothing appears that is then taken away.
  const isLeft = (index: number): boolean => judgements !== undefined && judgements[index]?.kind !== 'refused'
  const left = wishes.filter((_, index) => isLeft(index))
  return {
    scopes: VIEW_SCOPES.filter((scope) => left.some((wish) => wish.scope === scope)),
    workspaceOf: (scope) => (left.find((wish) => wish.scope === scope) ?? wishes[0])?.workspace,
    canChange: isLeft(wishes.length),
    canDelete: isLeft(wishes.length + 1),
  }
}
