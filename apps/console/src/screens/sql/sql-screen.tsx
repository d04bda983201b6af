import { useMutation, useQuery } from '@tanstack/react-query'
import { Play, Plus, Square, X } from 'lucide-react'
import { type JSX, useRef, useState } from 'react'
import type { SqlOutcome } from '@holdfast/protocol'
import { Button, Checkbox, IconButton, Notice, Page, Select, Spinner } from '@holdfast/workspace'
import { UserField } from '../../components/user-field.tsx'
import { messageOf, request } from '../../lib/api.ts'
import { ResultTable } from './result-table.tsx'
import { SqlEditor, type SqlEditorHandle } from './sql-editor.tsx'
import { addTab, changeTab, closeTab, readTabs, storeTabs, type SqlTabs } from './tabs.ts'

const IDENTITIES = [
  { value: 'postgres', label: 'The project (postgres)' },
  { value: 'user', label: 'A user' },
  { value: 'anon', label: 'A visitor (anon)' },
]

const TIMEOUTS = [
  { value: '30', label: '30 s' },
  { value: '120', label: '2 min' },
  { value: '600', label: '10 min' },
]

interface Identity {
  readonly kind: string
  readonly userId: string
}

/** The SQL editor: tabs, whom to run as, results. */
export function SqlScreen(): JSX.Element {
  const [state, setState] = useState(readTabs)
  const [identity, setIdentity] = useState<Identity>({ kind: 'postgres', userId: '' })
  const [isReadOnly, setReadOnly] = useState(true)
  const [timeout, setTimeout] = useState('30')
  const editor = useRef<SqlEditorHandle>(null)
  const running = useRef<AbortController>(null)
  const names = useQuery({
    queryKey: ['catalog-names'],
    queryFn: ({ signal }) =>
      request<{ names: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> }>('GET /catalog', {
        signal,
      }),
    staleTime: 60_000,
  })
  const run = useMutation({
    mutationFn: (text: string) => {
      running.current = new AbortController()
      const as = identity.kind === 'user' ? { kind: 'user', id: identity.userId.trim() } : { kind: identity.kind }
      return request<SqlOutcome>('POST /sql', {
        body: { text, as, isReadOnly, timeoutSeconds: Number(timeout) },
        signal: running.current.signal,
        timeoutMs: Number(timeout) * 1_000 + 10_000,
      })
    },
  })
  const change = (next: SqlTabs): void => {
    setState(next)
    storeTabs(next)
  }
  const tab = state.tabs.find(({ id }) => id === state.selected) ?? state.tabs[0]
  const start = (selected?: string): void => {
    const text = selected ?? tab?.text ?? ''
    if (text.trim() !== '' && !run.isPending) run.mutate(text)
  }
  return (
    <Page title="SQL">
      <div className="flex flex-col gap-3">
        <TabBar state={state} onChange={change} />
        <div className="h-72">
          {tab ? (
            <SqlEditor
              key={tab.id}
              ref={editor}
              text={tab.text}
              names={names.data?.names}
              onChange={(text) => change(changeTab(state, tab.id, text))}
              onRun={start}
            />
          ) : null}
        </div>
        <div className="flex flex-wrap items-end gap-3">
          <Select
            label="Run as"
            options={IDENTITIES}
            value={identity.kind}
            onChange={(kind) => setIdentity({ ...identity, kind })}
            className="w-52"
          />
          {identity.kind === 'user' ? (
            <UserField
              value={identity.userId}
              onChange={(userId) => setIdentity({ ...identity, userId })}
              className="w-80"
            />
          ) : null}
          <Select label="Time limit" options={TIMEOUTS} value={timeout} onChange={setTimeout} className="w-28" />
          <Checkbox isSelected={isReadOnly} onChange={setReadOnly} className="h-9">
            Read only
          </Checkbox>
          {run.isPending ? (
            <Button tone="danger" icon={<Square size={14} aria-hidden />} onPress={() => running.current?.abort()}>
              Cancel
            </Button>
          ) : (
            <Button tone="primary" icon={<Play size={14} aria-hidden />} onPress={() => start()}>
              Run
            </Button>
          )}
          <span className="pb-2 text-small text-muted">Ctrl+Enter runs the selected text, or all of it.</span>
        </div>
        <div aria-live="polite">
          {run.isPending ? (
            <p className="flex items-center gap-2 text-muted">
              <Spinner /> Running
            </p>
          ) : null}
        </div>
        {run.error === null || run.isPending ? null : <RunError error={run.error} />}
        {run.data && !run.isPending ? (
          <Outcome outcome={run.data} onPlace={(at) => editor.current?.select(at)} />
        ) : null}
      </div>
    </Page>
  )
}

function RunError({ error }: { readonly error: unknown }): JSX.Element {
  const isCancelled = error instanceof DOMException && error.name === 'AbortError'
  return isCancelled ? (
    <Notice title="Cancelled" role="status" />
  ) : (
    <Notice tone="danger" role="alert" title={messageOf(error)} />
  )
}

function Outcome({
  outcome: { results, notices, error, ms },
  onPlace,
}: {
  readonly outcome: SqlOutcome
  readonly onPlace: (position: number) => void
}): JSX.Element {
  return (
    <div className="flex flex-col gap-4">
      <p role="status" className="text-small text-muted tabular-nums">
        {error ? `Failed after ${ms} ms` : `Done in ${ms} ms`}
      </p>
      {notices.length === 0 ? null : (
        <pre aria-label="Notices" className="max-h-40 overflow-auto font-mono text-mono whitespace-pre-wrap text-muted">
          {notices.join('\n')}
        </pre>
      )}
      {results.map((result, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- statements have a place only
        <ResultTable key={at} result={result} place={at + 1} />
      ))}
      {error ? (
        <Notice
          tone="danger"
          role="alert"
          title={error.message}
          actions={
            error.position === undefined ? undefined : (
              <Button size="sm" onPress={() => onPlace(error.position ?? 1)}>
                Show the place
              </Button>
            )
          }
        >
          {[error.detail, error.hint, error.code && `SQLSTATE ${error.code}`].filter(Boolean).join(' · ')}
        </Notice>
      ) : null}
    </div>
  )
}

function TabBar({
  state,
  onChange,
}: {
  readonly state: SqlTabs
  readonly onChange: (state: SqlTabs) => void
}): JSX.Element {
  return (
    <div className="flex flex-wrap items-center gap-1">
      {state.tabs.map(({ id, title }) => (
        <span
          key={id}
          className={`flex items-center rounded-md ${id === state.selected ? 'bg-accent-soft text-accent' : 'text-muted'}`}
        >
          <button
            type="button"
            aria-current={id === state.selected}
            className="h-8 px-3 coarse:h-11"
            onClick={() => onChange({ ...state, selected: id })}
          >
            {title}
          </button>
          <IconButton
            label={`Close ${title}`}
            size="sm"
            icon={<X size={14} aria-hidden />}
            onPress={() => onChange(closeTab(state, id))}
          />
        </span>
      ))}
      <IconButton label="New tab" icon={<Plus size={16} aria-hidden />} onPress={() => onChange(addTab(state))} />
    </div>
  )
}
