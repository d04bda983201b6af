import { useRecords, useSchema } from '@holdfast/react'

/** A group of people who work on the same things. */
export interface Workspace {
  readonly id: string
  readonly name: string
}

/** The workspaces that this person is in, as a guest too; none where the project keeps none or does not sync them. */
export function useWorkspaces(): { readonly workspaces: readonly Workspace[]; readonly isLoading: boolean } {
  const areKept = useSchema().tables.some(({ name }) => name === 'hf_workspaces')
  const { rows, isLoading } = useRecords<Workspace>(
    areKept ? 'select id, name from hf_workspaces order by name, id' : '',
  )
  return { workspaces: rows, isLoading: areKept && isLoading }
}
