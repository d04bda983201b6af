import { useLocalDatabase, useRecords, useSchema } from '@holdfast/react'
import { type JSX, useRef, useState } from 'react'
import { useCall } from '../../hooks/use-call.ts'
import { useOnline } from '../../hooks/use-online.ts'
import { useFindTable } from '../../lib/data/use-tables.tsx'
import { useWorkspace } from '../../lib/records/use-workspace.ts'
import { templateMessages as words, templateRefusals } from '../../messages/templates.ts'
import { Button } from '../button.tsx'
import { CallFailureText } from '../call-failure-text.tsx'
import { ConfirmDialog } from '../dialog.tsx'
import { Row, Rows, Section } from '../section.tsx'
import { showToast } from '../toast.tsx'

/** Local name of `holdfast.template_loads`. */
const LOADS_TABLE = 'hf_template_loads'

/** A template loaded into the workspace. */
export interface LoadedTemplate {
  readonly id: string
  readonly name: string
  readonly samples: number
}

/** Returns the loaded templates of the workspace, for owners and admins; empty for others and on older servers. */
export function useLoadedTemplates(): readonly LoadedTemplate[] {
  const workspace = useWorkspace()
  const hasTable = useSchema().tables.some(({ name }) => name === LOADS_TABLE)
  const { rows } = useRecords<LoadedTemplate>(
    hasTable && workspace
      ? `select id, name, sample_records as samples from ${LOADS_TABLE} where workspace_id = ? order by created_at, id`
      : '',
    [workspace?.id ?? null],
  )
  return rows
}

/** The loaded templates with what can be removed of each. Renders nothing without any. */
export function LoadedTemplates(): JSX.Element | null {
  const heading = useRef<HTMLHeadingElement>(null)
  const loads = useLoadedTemplates()
  if (loads.length === 0) return null
  return (
    <Section title={words.loaded} headingRef={heading}>
      <Rows label={words.loaded}>
        {loads.map((load) => (
          <Row
            key={load.id}
            title={load.name}
            actions={
              <>
                {load.samples > 0 ? <RemoveButton load={load} what="samples" /> : null}
                <RemoveButton load={load} what="template" onGone={() => heading.current?.focus()} />
              </>
            }
          >
            {words.samples(load.samples)}
          </Row>
        ))}
      </Rows>
    </Section>
  )
}

interface Removed {
  readonly removed: readonly string[]
  readonly kept: Readonly<Record<string, string>>
}

/** A button that removes the sample records of a template, or all of it, after a question. */
export function RemoveButton({
  load,
  what,
  onGone,
}: {
  readonly load: LoadedTemplate
  readonly what: 'samples' | 'template'
  readonly onGone?: () => void
}): JSX.Element {
  const [isAsking, setAsking] = useState(false)
  const isOnline = useOnline()
  const call = useCall(templateRefusals)
  const { refreshSchema } = useLocalDatabase()
  const findTable = useFindTable()
  const isWhole = what === 'template'
  const remove = async (): Promise<void> => {
    const done = isWhole
      ? await call.run<Removed>('remove_template', { load: load.id })
      : await call.run<number>('remove_sample_records', { load: load.id })
    if (!done) return
    setAsking(false)
    onGone?.()
    const { result } = done
    if (typeof result === 'number') return showToast({ text: words.samplesRemoved(result) })
    const kept = Object.keys(result.kept).map((name) => findTable(name)?.label ?? name)
    showToast({ text: kept.length > 0 ? words.kept(kept.join(', ')) : words.removed(result.removed.length) })
    await refreshSchema().catch((error: unknown) => console.warn('The schema did not arrive.', error))
  }
  return (
    <>
      <Button
        size="sm"
        tone="secondary"
        isDisabled={!isOnline}
        aria-label={isWhole ? words.removeTemplateOf(load.name) : words.removeSamplesOf(load.name)}
        onPress={() => setAsking(true)}
      >
        {isWhole ? words.removeTemplate : words.removeSamples}
      </Button>
      <ConfirmDialog
        title={isWhole ? words.removeTemplateQuestion : words.removeSamplesQuestion}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        confirmLabel={isWhole ? words.removeTemplate : words.removeSamples}
        isDanger
        isPending={call.isPending}
        onConfirm={() => void remove()}
      >
        <p>{isWhole ? words.removeTemplateDetail : words.removeSamplesDetail}</p>
        <CallFailureText failure={call.failure} />
      </ConfirmDialog>
    </>
  )
}
