import { useMutation } from '@tanstack/react-query'
import { type JSX, useRef, useState } from 'react'
import type { SqlExplain, SqlOutcome } from '@holdfast/protocol'
import { Page, Spinner } from '@holdfast/workspace'
import { request } from '../../lib/api.ts'
import { PlanOutcome } from './plan-outcome.tsx'
import { QueryBar } from './query-bar.tsx'
import { FIRST_SETTINGS, RunBar, type RunSettings } from './run-bar.tsx'
import { RunError, RunOutcome } from './run-outcome.tsx'
import { SqlEditor, type SqlEditorHandle } from './sql-editor.tsx'
import { TabBar } from './tab-bar.tsx'
import { changeTab, readTabs, storeTabs, type SqlTabs } from './tabs.ts'
import { useNames } from './use-names.ts'

/** Time in ms for the answer beyond the time limit of the statements. */
const ANSWER_MS = 10_000

/** The SQL editor: tabs, whom to run as, results. */
export function SqlScreen(): JSX.Element {
  const [state, setState] = useState(readTabs)
  const [settings, setSettings] = useState(FIRST_SETTINGS)
  const editor = useRef<SqlEditorHandle>(null)
  const { run, cancel } = useRun(settings)
  const names = useNames()
  const change = (next: SqlTabs): void => {
    setState(next)
    storeTabs(next)
  }
  const tab = state.tabs.find(({ id }) => id === state.selected) ?? state.tabs[0]
  const start = (selected?: string, explain?: SqlExplain): void => {
    const text = selected ?? tab?.text ?? ''
    if (text.trim() !== '' && !run.isPending) run.mutate({ text, explain })
  }
  return (
    <Page title="SQL">
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <TabBar state={state} onChange={change} />
          <QueryBar state={state} tab={tab} onChange={change} />
        </div>
        <div className="h-72">
          {tab ? (
            <SqlEditor
              key={tab.id}
              ref={editor}
              text={tab.text}
              names={names}
              onChange={(text) => change(changeTab(state, tab.id, text))}
              onRun={start}
            />
          ) : null}
        </div>
        <RunBar
          settings={settings}
          isRunning={run.isPending}
          onChange={setSettings}
          onRun={() => start()}
          onExplain={(explain) => start(editor.current?.selected(), explain)}
          onCancel={cancel}
        />
        <div aria-live="polite">
          {run.isPending ? (
            <p className="flex items-center gap-2 text-muted">
              <Spinner /> Running
            </p>
          ) : null}
        </div>
        {run.error === null || run.isPending ? null : <RunError error={run.error} />}
        {run.data && !run.isPending ? (
          run.variables.explain && !run.data.error ? (
            <PlanOutcome key={run.submittedAt} results={run.data.results} />
          ) : (
            <RunOutcome outcome={run.data} onPlace={(at) => editor.current?.select(at)} />
          )
        ) : null}
      </div>
    </Page>
  )
}

function useRun({ kind, user, isReadOnly, timeoutSeconds }: RunSettings) {
  const running = useRef<AbortController>(null)
  const run = useMutation({
    mutationFn: ({ text, explain }: { readonly text: string; readonly explain: SqlExplain | undefined }) => {
      running.current = new AbortController()
      const as = kind === 'user' ? { kind, id: user.trim() } : { kind }
      return request<SqlOutcome>('POST /sql', {
        body: { text, as, isReadOnly, timeoutSeconds, ...(explain && { explain }) },
        signal: running.current.signal,
        timeoutMs: timeoutSeconds * 1_000 + ANSWER_MS,
      })
    },
  })
  return { run, cancel: () => running.current?.abort() }
}
