import { useRecords, useSchema } from '@holdfast/react'

/** A group of users who share records. */
export interface Workspace {
  readonly id: string
  readonly name: string
}

/** Returns the user's workspaces, including those as guest; none if the project has none or does not sync them. */
export function useWorkspaces(): { readonly workspaces: readonly Workspace[]; readonly isLoading: boolean } {
  const areKept = useSchema().tables.some(({ name }) => name === 'hf_workspaces')
  const { rows, isLoading } = useRecords<Workspace>(
    areKept ? 'select id, name from hf_workspaces order by name, id' : '',
  )
  return { workspaces: rows, isLoading: areKept && isLoading }
}
