import { useRecords, useSchema } from '@holdfast/react'
import { useWorkspace } from './use-workspace.ts'

/** Returns the workspace's logo as a data URL; `null` if it has none, `undefined` while unknown and on servers without logos. */
export function useWorkspaceLogo(): string | null | undefined {
  const { tables } = useSchema()
  const id = useWorkspace()?.id
  const hasLogos = tables.some(
    ({ name, columns }) => name === 'hf_workspaces' && columns.some((column) => column.name === 'logo'),
  )
  const isAsked = hasLogos && id !== undefined
  const { rows, isLoading } = useRecords<{ readonly logo: string | null }>(
    isAsked ? 'select logo from hf_workspaces where id = ?' : '',
    isAsked ? [id] : [],
  )
  return isAsked && !isLoading ? (rows[0]?.logo ?? null) : undefined
}
