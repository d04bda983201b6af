import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { AutomationConfig } from '@holdfast/protocol'
import { Zap } from 'lucide-react'
import { type JSX, type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { Switch } from '../../components/checkbox.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { LeaveQuestion } from '../../components/leave-question.tsx'
import { LinkButton } from '../../components/link.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { TextField } from '../../components/text-field.tsx'
import { showToast } from '../../components/toast.tsx'
import { useCall } from '../../hooks/use-call.ts'
import { useOnline } from '../../hooks/use-online.ts'
import { canChange, useWorkspace, type Workspace } from '../../lib/records/use-workspace.ts'
import { automationMessages as words, automationReasons } from '../../messages/automations.ts'
import { DoPart } from './do-part.tsx'
import { type AutomatedTable, isWithoutRecord, newStep, recipesFor } from './draft.ts'
import { IfPart } from './if-part.tsx'
import { reasonWords } from './reason-words.ts'
import { RunsSection } from './runs-section.tsx'
import { TrySection } from './try-section.tsx'
import { type StoredAutomation, useAutomatedTables, useAutomations } from './use-automations.ts'
import { type PartProps, WhenPart } from './when-part.tsx'

const FROM = '/signed-in/w/$ws/automations/$automation'

/** One automation: what it does, a try, and its history. */
export function AutomationScreen(): JSX.Element {
  const workspace = useWorkspace()
  if (workspace === undefined)
    return (
      <Page title={words.title} width="reading">
        <Skeleton rows={6} />
      </Page>
    )
  return workspace !== null && canChange(workspace) ? (
    <Found key={workspace.id} workspace={workspace} />
  ) : (
    <Missing title={words.onlyAdmins} />
  )
}

function Missing({ title, children }: { readonly title: string; readonly children?: ReactNode }): JSX.Element {
  const { ws } = useParams({ from: FROM })
  return (
    <Page title={words.title} width="reading">
      <EmptyState
        title={title}
        icon={<Zap size={28} aria-hidden />}
        action={
          <LinkButton to="/w/$ws/automations" params={{ ws }}>
            {words.title}
          </LinkButton>
        }
      >
        {children}
      </EmptyState>
    </Page>
  )
}

function Found({ workspace }: { readonly workspace: Workspace }): JSX.Element {
  const { automation: id } = useParams({ from: FROM })
  const { example } = useSearch({ from: FROM })
  const automations = useAutomations(workspace.id)
  const tables = useAutomatedTables(workspace.id)
  const [first] = tables
  if (id === 'new') {
    if (!first) return <Missing title={words.noTables}>{words.noTablesDetail}</Missing>
    const recipe = recipesFor(tables).find((one) => one.id === example)
    const config: AutomationConfig = recipe?.config ?? {
      when: { kind: 'added', table: first.name },
      do: [newStep('notify', first)],
    }
    return (
      <Editor key={`new ${example ?? ''}`} {...{ workspace, tables, config }} name={recipe?.name ?? words.newName} />
    )
  }
  if (automations === undefined)
    return (
      <Page title={words.title} width="reading">
        <Skeleton rows={6} />
      </Page>
    )
  const stored = automations.find((one) => one.id === id)
  if (!stored) return <Missing title={words.gone} />
  if (!stored.config) return <Missing title={words.unknown}>{words.unknownDetail}</Missing>
  return <Editor key={stored.id} {...{ workspace, tables, stored }} config={stored.config} name={stored.name} />
}

interface EditorProps {
  readonly workspace: Workspace
  readonly tables: readonly AutomatedTable[]
  readonly stored?: StoredAutomation
  readonly config: AutomationConfig
  readonly name: string
}

function Editor({ workspace, tables, stored, config: kept, name: keptName }: EditorProps): JSX.Element {
  const { ws } = useParams({ from: FROM })
  const navigate = useNavigate()
  const isOnline = useOnline()
  const call = useCall(automationReasons)
  const [name, setName] = useState(keptName)
  const [config, setConfig] = useState(kept)
  const edited = JSON.stringify({ name, config })
  const [saved, setSaved] = useState(edited)
  const isChanged = !stored || name !== keptName || JSON.stringify(config) !== JSON.stringify(kept)
  const table = tables.find((one) => one.name === config.when.table)
  const isDisabled = !isOnline
  const save = async (): Promise<void> => {
    const args = { workspace: workspace.id, automation: stored?.id ?? null, name, config }
    const made = await call.run<string>('save_automation', args)
    if (!made) return
    setSaved(edited)
    showToast({ text: words.saved })
    if (!stored)
      void navigate({
        to: '/w/$ws/automations/$automation',
        params: { ws, automation: made.result },
        replace: true,
        ignoreBlocker: true,
      })
  }
  const switchTo = async (isOn: boolean): Promise<void> => {
    if (await call.run('switch_automation', { automation: stored?.id, is_on: isOn }))
      showToast({ text: isOn ? words.turnedOn : words.turnedOff })
  }
  const part = table && { config, table, tables, isDisabled, onChange: setConfig }
  return (
    <Page
      title={stored ? keptName : words.newName}
      width="reading"
      {...(stored?.runsAs != null && { description: words.runsAs(stored.runsAs) })}
      actions={
        stored ? (
          <Switch
            aria-label={words.switch}
            isSelected={stored.isOn}
            isDisabled={isDisabled || call.isPending}
            onChange={(isOn) => void switchTo(isOn)}
          >
            {stored.isOn ? words.on : words.off}
          </Switch>
        ) : null
      }
    >
      <LeaveQuestion isChanged={edited !== saved} />
      <div className="flex flex-col gap-8">
        {isOnline ? null : <Notice tone="warning" role="status" title={words.offline} />}
        {stored === undefined ? null : <StoppedNotice automation={stored} />}
        <TextField label={words.name} value={name} maxLength={80} isDisabled={isDisabled} onChange={setName} />
        {part ? (
          <Parts part={part} workspace={workspace.id} automation={stored?.id} />
        ) : (
          <Notice tone="warning" title={automationReasons['automation.table']} />
        )}
        <div className="flex flex-col gap-3">
          <div className="flex flex-wrap items-center gap-2">
            <MainButton
              isDisabled={isDisabled}
              isPending={call.isPending}
              {...(isChanged || stored.isOn
                ? { label: words.save, isIdle: !isChanged || !part, onPress: save }
                : { label: words.turnOn, onPress: () => switchTo(true) })}
            />
            {stored ? <DeleteButton automation={stored} isDisabled={isDisabled} /> : null}
          </div>
          <CallFailureText failure={call.failure} />
        </div>
        {table ? <TrySection workspace={workspace.id} config={config} table={table} tables={tables} /> : null}
        {stored ? (
          <RunsSection automation={stored.id} table={table} tables={tables} isOnce={isWithoutRecord(kept)} ws={ws} />
        ) : null}
      </div>
    </Page>
  )
}

function StoppedNotice({
  automation: { reason, lacks },
}: {
  readonly automation: StoredAutomation
}): JSX.Element | null {
  if (reason !== null)
    return (
      <Notice tone="danger" title={words.paused}>
        {reasonWords(reason, lacks)}
      </Notice>
    )
  return lacks === null ? null : <Notice tone="warning" title={reasonWords('automation.field', lacks)} />
}

function MainButton({
  label,
  isIdle = false,
  isDisabled,
  isPending,
  onPress,
}: {
  readonly label: string
  /** There is nothing to do. */
  readonly isIdle?: boolean
  readonly isDisabled: boolean
  readonly isPending: boolean
  readonly onPress: () => Promise<void>
}): JSX.Element {
  return (
    <Button tone="primary" isDisabled={isDisabled || isIdle} isPending={isPending} onPress={() => void onPress()}>
      {label}
    </Button>
  )
}

/** When, if and do. */
function Parts({
  part,
  workspace,
  automation,
}: {
  readonly part: PartProps
  readonly workspace: string
  readonly automation: string | undefined
}): JSX.Element {
  return (
    <div className="flex flex-col gap-5">
      <Sentence word={words.when}>
        <WhenPart {...part} />
      </Sentence>
      <Sentence word={words.if}>
        <IfPart {...part} />
      </Sentence>
      <Sentence word={words.do}>
        <DoPart {...part} workspace={workspace} automation={automation} />
      </Sentence>
    </div>
  )
}

/** A part of the sentence: its word beside its controls; above them on phones. */
function Sentence({ word, children }: { readonly word: string; readonly children: ReactNode }): JSX.Element {
  return (
    <section
      aria-label={word}
      className="grid grid-cols-1 gap-x-4 gap-y-2 border-l-2 border-accent/50 pl-4 tablet:grid-cols-[4rem_1fr]"
    >
      <h2 className="text-title tablet:pt-1">{word}</h2>
      <div className="min-w-0">{children}</div>
    </section>
  )
}

function DeleteButton({
  automation,
  isDisabled,
}: {
  readonly automation: StoredAutomation
  readonly isDisabled: boolean
}): JSX.Element {
  const { ws } = useParams({ from: FROM })
  const navigate = useNavigate()
  const call = useCall(automationReasons)
  const [isAsking, setAsking] = useState(false)
  const remove = async (): Promise<void> => {
    if (!(await call.run('delete_automation', { automation: automation.id }))) return
    showToast({ text: words.removed })
    void navigate({ to: '/w/$ws/automations', params: { ws }, replace: true, ignoreBlocker: true })
  }
  return (
    <>
      <Button tone="quiet" isDisabled={isDisabled} onPress={() => setAsking(true)}>
        {words.remove}
      </Button>
      <ConfirmDialog
        title={words.remove}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        confirmLabel={words.remove}
        isDanger
        isPending={call.isPending}
        onConfirm={() => void remove()}
      >
        {words.removeDetail}
        <CallFailureText failure={call.failure} />
      </ConfirmDialog>
    </>
  )
}
