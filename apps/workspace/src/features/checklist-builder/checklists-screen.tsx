import { useParams, useSearch } from '@tanstack/react-router'
import { ListChecks } from 'lucide-react'
import type { JSX } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { LinkButton } from '../../components/link.tsx'
import { Page } from '../../components/page.tsx'
import { Progress } from '../../components/progress.tsx'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useArrivingSchema } from '../../hooks/use-arriving-schema.ts'
import { useChecklists } from '../../lib/checklists/use-checklists.ts'
import { useFindTable } from '../../lib/data/use-tables.tsx'
import { canChange, useWorkspace } from '../../lib/records/use-workspace.ts'
import { builderMessages as words } from '../../messages/checklist-builder.ts'
import { AddChecklist } from './add-checklist.tsx'
import { hasVersions } from './builder-changes.ts'
import { BuilderScreen } from './builder-screen.tsx'
import { ChecklistList } from './checklist-list.tsx'
import type { RenderAnswer } from './preview.tsx'

/**
 * The checklists of a table for owners and admins: the list, or the builder of the one in the URL.
 *
 * @param renderAnswer - renders the input of a question, as users who fill in the checklist see it
 */
export function ChecklistsScreen({ renderAnswer }: { readonly renderAnswer: RenderAnswer }): JSX.Element {
  const { ws, table: name } = useParams({ from: '/signed-in/w/$ws/t/$table/checklists' })
  const { c: template } = useSearch({ from: '/signed-in/w/$ws/t/$table/checklists' })
  const table = useFindTable()(name)
  const workspace = useWorkspace()
  const checklists = useChecklists()
  if (checklists === undefined || workspace === undefined)
    return (
      <Page title={words.title} width="reading">
        <Skeleton rows={6} />
      </Page>
    )
  const checklist = checklists.find((one) => one.table === name)
  const mayChange = workspace !== null && canChange(workspace) && table?.madeIn === workspace.id
  if (!table || !mayChange)
    return (
      <Page title={words.title} width="reading">
        <EmptyState title={words.notHere} icon={<ListChecks size={28} aria-hidden />}>
          {words.notHereDetail}
        </EmptyState>
      </Page>
    )
  if (checklist && !hasVersions(checklist))
    return (
      <Page title={words.titleOf(table.label)} width="reading">
        <EmptyState
          title={words.withoutVersions}
          icon={<ListChecks size={28} aria-hidden />}
          action={
            <LinkButton to="/w/$ws/t/$table" params={{ ws, table: checklist.items.table }}>
              {words.openQuestions}
            </LinkButton>
          }
        >
          {words.withoutVersionsDetail}
        </EmptyState>
      </Page>
    )
  if (checklist && template !== undefined)
    return <BuilderScreen key={template} {...{ checklist, table, template, renderAnswer }} />
  if (checklist) return <ChecklistList {...{ checklist, table }} />
  return template === undefined ? <AddChecklist {...{ table, workspace }} /> : <Preparing />
}

/** Shown until the tables of a new checklist are on this device. */
export function Preparing(): JSX.Element {
  const isSlow = useArrivingSchema()
  return (
    <Page title={words.preparing} width="reading">
      <div className="flex max-w-xl flex-col gap-4">
        <Progress label={words.preparing} value={0} total={0} valueText={words.preparingDetail} />
        {isSlow ? <Notice tone="warning" role="status" title={words.slow} /> : null}
      </div>
    </Page>
  )
}
