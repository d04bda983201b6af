import { useNavigate } from '@tanstack/react-router'
import { type JSX, useEffect } from 'react'
import { importMessages } from '../../../messages/import.ts'
import type { Workspace } from '../../../lib/records/use-workspace.ts'
import { ChooseFile } from '../choose-file.tsx'
import { Working } from '../import-progress.tsx'
import { DescribeTable } from './describe-table.tsx'
import { MadeTable } from './made-table.tsx'
import { useNewTable } from './use-new-table.ts'

/** Creates a table from a file: its fields, name and access, and then its records. */
export function NewTable({
  workspace,
  ws,
  onMade,
}: {
  readonly workspace: Workspace
  readonly ws: string
  /** Called when the table is created, and with `false` for another file. */
  readonly onMade: (isMade: boolean) => void
}): JSX.Element {
  const making = useNewTable()
  const navigate = useNavigate()
  const { step } = making
  const isMade = step.kind === 'made'
  useEffect(() => onMade(isMade), [isMade, onMade])
  switch (step.kind) {
    case 'choosing':
      return <ChooseFile onFile={making.read} problem={step.problem} />
    case 'reading':
      return <Working label={importMessages.reading} text={importMessages.rowsRead(step.rows)} onStop={making.again} />
    case 'describing':
      return <DescribeTable {...{ step, making, workspace }} />
    case 'made':
      return (
        <MadeTable
          {...{ step, workspace, ws }}
          onRemoved={() => {
            making.again()
            void navigate({ to: '/w/$ws/import', params: { ws }, search: { new: true }, replace: true })
          }}
        />
      )
    default:
      return step satisfies never
  }
}
