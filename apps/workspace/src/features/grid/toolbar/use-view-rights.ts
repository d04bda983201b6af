import { useJudgements, useSchema } from '@holdfast/react'
import { useWorkspace } from '../../../lib/records/use-workspace.ts'
import { type SavedView, VIEWS_TABLE, VIEW_SCOPES, type ViewScope } from '../../../lib/views/use-views.ts'

export interface ViewRights {
  readonly canChange: boolean
  readonly canDelete: boolean
  /** Scopes of views that the user may create. */
  readonly scopes: readonly ViewScope[]
  /** Returns the workspace of a new view with this scope. `null`: none, because it belongs to the project. `undefined`: the server stores none. */
  readonly workspaceOf: (scope: ViewScope) => string | null | undefined
}

/** Returns what policies allow the user to do with views, as far as this device knows; the server decides. */
export function useViewRights(saved: SavedView | undefined, userId: string): ViewRights {
  const own = useWorkspace()
  const areOfWorkspaces = useSchema()
    .tables.find(({ name }) => name === VIEWS_TABLE)
    ?.columns.some(({ name }) => name === 'workspace_id')
  // A shared view belongs to the workspace; users who may only share with the whole project do that instead.
  const places = areOfWorkspaces ? [...(own ? [own.id] : []), null] : [undefined]
  const wishes = VIEW_SCOPES.flatMap((scope) => places.map((workspace) => ({ scope, workspace })))
  const row = saved && { ...saved.row }
  const judgements = useJudgements([
    ...wishes.map(({ scope, workspace }) => ({
      table: VIEWS_TABLE,
      command: 'insert' as const,
      after: { scope, owner_id: userId, ...(workspace !== undefined && { workspace_id: workspace }) },
    })),
    ...(row
      ? [
          { table: VIEWS_TABLE, command: 'update' as const, before: row, after: row, changed: ['config'] },
          { table: VIEWS_TABLE, command: 'delete' as const, before: row },
        ]
      : []),
  ])
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
