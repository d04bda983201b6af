import { useParams } from '@tanstack/react-router'
import { type JSX, useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { LoadedTemplates } from '../../components/records/loaded-templates.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { Section } from '../../components/section.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { showToast } from '../../components/toast.tsx'
import { useCall } from '../../hooks/use-call.ts'
import { useOnline } from '../../hooks/use-online.ts'
import { pageLanguage } from '../../lib/language.ts'
import { canChange, useWorkspace, type Workspace } from '../../lib/records/use-workspace.ts'
import { templateMessages as words, templateRefusals } from '../../messages/templates.ts'
import { newTableRefusals } from '../../messages/new-table.ts'
import { OpenLoaded } from './open-loaded.tsx'
import { TemplateCard } from './template-card.tsx'
import { fetchTemplates, type Template } from './template-file.ts'
import { TemplateFromFile } from './template-from-file.tsx'

/** The gallery of templates, for owners and admins of a workspace. */
export function TemplatesScreen(): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/templates' })
  const workspace = useWorkspace()
  return (
    <Page title={words.title} description={words.description}>
      {workspace === undefined ? null : workspace === null ? (
        <EmptyState title={words.onlyAdmins} />
      ) : (
        <Gallery workspace={workspace} ws={ws} />
      )}
    </Page>
  )
}

function Gallery({ workspace, ws }: { readonly workspace: Workspace; readonly ws: string }): JSX.Element {
  const isOnline = useOnline()
  const mayUse = canChange(workspace)
  const call = useCall({ ...newTableRefusals, ...templateRefusals })
  const [used, setUsed] = useState<{ readonly template: Template; readonly tables?: readonly string[] }>()
  const use = async (template: Template): Promise<void> => {
    setUsed({ template })
    const loaded = await call.run<{ readonly tables: readonly string[] }>('load_template', {
      workspace: workspace.id,
      template: template.document,
      language: pageLanguage(),
    })
    if (loaded && template.automations > 0) showToast({ text: words.automationsOff(template.automations) })
    setUsed(loaded && { template, tables: loaded.result.tables })
  }
  if (used) return <OpenLoaded template={used.template} tables={used.tables} ws={ws} />
  const isDisabled = !isOnline || !mayUse
  return (
    <div className="flex flex-col gap-8">
      {mayUse ? null : <Notice tone="info" title={words.onlyAdmins} />}
      {isOnline ? null : <Notice tone="info" role="status" title={words.offline} />}
      <CallFailureText failure={call.failure} />
      <Cards workspace={workspace} isOnline={isOnline} isDisabled={isDisabled} onUse={(one) => void use(one)} />
      <Section title={words.fromFile} description={words.fromFileDetail}>
        <TemplateFromFile workspace={workspace.id} isDisabled={isDisabled} onUse={(one) => void use(one)} />
      </Section>
      {mayUse ? <LoadedTemplates /> : null}
    </div>
  )
}

function Cards({
  workspace,
  isOnline,
  isDisabled,
  onUse,
}: {
  readonly workspace: Workspace
  readonly isOnline: boolean
  readonly isDisabled: boolean
  readonly onUse: (template: Template) => void
}): JSX.Element | null {
  const [known, setKnown] = useState<readonly Template[] | 'failed'>()
  const isMissing = known === undefined
  // The server is outside React.
  useEffect(() => {
    if (!isOnline || !isMissing) return
    const leaving = new AbortController()
    fetchTemplates(pageLanguage(), leaving.signal).then(setKnown, (error: unknown) => {
      if (leaving.signal.aborted) return
      console.warn('The templates did not arrive.', error)
      setKnown('failed')
    })
    return () => leaving.abort()
  }, [isOnline, isMissing])
  if (known === 'failed')
    return (
      <EmptyState
        title={words.notFetched}
        action={<Button onPress={() => setKnown(undefined)}>{words.retry}</Button>}
      />
    )
  if (known === undefined)
    return isOnline ? (
      <div role="status" aria-label={words.fetching}>
        <Skeleton rows={6} />
      </div>
    ) : null
  return (
    <ul aria-label={words.title} className="grid grid-cols-1 gap-4 tablet:grid-cols-2 wide:grid-cols-3">
      {known.map((template) => (
        <TemplateCard key={template.name} {...{ template, isDisabled, onUse }} workspace={workspace.id} />
      ))}
    </ul>
  )
}
