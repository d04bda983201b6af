import { useNavigate, useParams } from '@tanstack/react-router'
import { Plus, Zap } from 'lucide-react'
import type { JSX } from 'react'
import { Button } from '../../components/button.tsx'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { Switch } from '../../components/checkbox.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { LinkButton } from '../../components/link.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { TableStarts } from '../../components/records/table-starts.tsx'
import { Row, Rows, Section } from '../../components/section.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { showToast } from '../../components/toast.tsx'
import { useCall } from '../../hooks/use-call.ts'
import { useOnline } from '../../hooks/use-online.ts'
import { cx } from '../../lib/cx.ts'
import { momentOf } from '../../lib/fields/dates.ts'
import { formatAgo } from '../../lib/format.ts'
import { canChange, useWorkspace, type Workspace } from '../../lib/records/use-workspace.ts'
import { automationMessages as words, automationReasons } from '../../messages/automations.ts'
import { recipesFor, triggerWords } from './draft.ts'
import { reasonWords } from './reason-words.ts'
import { type StoredAutomation, useAutomatedTables, useAutomations } from './use-automations.ts'

/** The automations of a workspace, for its owners and admins. */
export function AutomationsScreen(): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/automations' })
  const workspace = useWorkspace()
  const mayUse = workspace && canChange(workspace)
  return (
    <Page
      title={words.title}
      width="reading"
      {...(mayUse && { description: words.description })}
      actions={
        mayUse ? (
          <LinkButton
            to="/w/$ws/automations/$automation"
            params={{ ws, automation: 'new' }}
            tone="primary"
            className="gap-2"
          >
            <Plus size={16} aria-hidden />
            {words.create}
          </LinkButton>
        ) : null
      }
    >
      {workspace === undefined ? null : mayUse ? (
        <List workspace={workspace} ws={ws} />
      ) : (
        <EmptyState title={words.onlyAdmins} icon={<Zap size={28} aria-hidden />} />
      )}
    </Page>
  )
}

function List({ workspace, ws }: { readonly workspace: Workspace; readonly ws: string }): JSX.Element {
  const automations = useAutomations(workspace.id)
  const isOnline = useOnline()
  const tables = useAutomatedTables(workspace.id)
  if (automations === undefined) return <Skeleton rows={4} />
  return (
    <div className="flex flex-col gap-8">
      {isOnline ? null : <Notice tone="warning" role="status" title={words.offline} />}
      {automations.length > 0 ? (
        <Rows label={words.title}>
          {automations.map((automation) => (
            <Line key={automation.id} automation={automation} ws={ws} isOnline={isOnline} />
          ))}
        </Rows>
      ) : tables.length === 0 ? (
        <EmptyState title={words.noTables} icon={<Zap size={28} aria-hidden />} action={<TableStarts />}>
          {words.noTablesDetail}
        </EmptyState>
      ) : (
        <EmptyState title={words.none} icon={<Zap size={28} aria-hidden />}>
          {words.noneDetail}
        </EmptyState>
      )}
      {tables.length === 0 ? null : <Examples ws={ws} workspace={workspace.id} />}
    </div>
  )
}

/** Examples open the editor; nothing is saved until the user saves. */
function Examples({ ws, workspace }: { readonly ws: string; readonly workspace: string }): JSX.Element {
  const tables = useAutomatedTables(workspace)
  const navigate = useNavigate()
  const open = (example?: string): void =>
    void navigate({
      to: '/w/$ws/automations/$automation',
      params: { ws, automation: 'new' },
      search: example === undefined ? {} : { example },
    })
  return (
    <Section title={words.examples}>
      <ul className="grid grid-cols-1 gap-2 tablet:grid-cols-2">
        {recipesFor(tables).map(({ id, name }) => (
          <li key={id}>
            <Button
              className="h-auto min-h-11 w-full justify-start py-2 text-left whitespace-normal!"
              icon={<Zap size={16} className="shrink-0 text-muted" aria-hidden />}
              onPress={() => open(id)}
            >
              {name}
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Line({
  automation,
  ws,
  isOnline,
}: {
  readonly automation: StoredAutomation
  readonly ws: string
  readonly isOnline: boolean
}): JSX.Element {
  const { id, name, config, isOn, reason, lacks, state, endedAt } = automation
  const workspace = useWorkspace()
  const tables = useAutomatedTables(workspace?.id ?? '')
  const call = useCall(automationReasons)
  const at = endedAt === null ? undefined : momentOf(endedAt)
  const why = reason ?? (lacks === null ? null : 'automation.field')
  return (
    <Row
      title={
        <TextLink to="/w/$ws/automations/$automation" params={{ ws, automation: id }}>
          {name}
        </TextLink>
      }
      mark={
        reason === null ? (
          state === 'failed' ? (
            <span className="text-small text-danger">{words.states.failed}</span>
          ) : null
        ) : (
          <span className="text-small text-danger">{words.paused}</span>
        )
      }
      actions={
        <Switch
          aria-label={`${words.switch}: ${name}`}
          isSelected={isOn}
          isDisabled={!isOnline || call.isPending}
          onChange={(next) =>
            void call.run('switch_automation', { automation: id, is_on: next }).then((done) => {
              if (done) showToast({ text: next ? words.turnedOn : words.turnedOff })
            })
          }
        >
          <span className="text-small text-muted">{isOn ? words.on : words.off}</span>
        </Switch>
      }
      below={
        <>
          {why === null ? null : (
            <p className={cx('text-small', reason === null ? 'text-warning' : 'text-danger')}>
              {reasonWords(why, lacks)}
            </p>
          )}
          <CallFailureText failure={call.failure} />
        </>
      }
    >
      {config ? `${triggerWords(config, tables)} · ` : ''}
      {at === undefined || state === null
        ? words.neverRan
        : words.lastRun((words.states as Readonly<Record<string, string>>)[state] ?? state, formatAgo(at))}
    </Row>
  )
}
